"""Communication on threads of hosts: what a host does besides keeps its own reason, the wait for it does not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.tiler.facts.findings.answers import findings, groups, reading, text
from tests.tiler.facts.findings.pytorch_causes import FIRST_STEP, STEPS, Planted, layers, loss_ns, run
from tests.tiler.facts.findings.pytorch_run import GLOO, Rank, write_ranks
from tilescope.tiler.facts.findings import Cause
from tilescope.tiler.facts.findings.idle_causes import Wait

GLOO_US = 5_200


def begin_of_all_reduce(ranks: Sequence[Rank]) -> int:
    """An all-reduce that threads of the hosts begin when all devices are done; its end."""
    for rank in ranks:
        rank.wait()
    stop = max(rank.now for rank in ranks) + GLOO_US * 1000
    for rank in ranks:
        rank.slice("gloo:all_reduce", "cpu_op", rank.now, stop, tid=GLOO)
    return stop


def loader_beside_all_reduce(ranks: Sequence[Rank], number: int, planted: bool) -> None:
    """A batch is read while others communicate; nothing of the next work needs what they send."""
    for rank in ranks:
        with rank.step(number):
            layers(rank)
    begin_of_all_reduce(ranks)
    for rank in ranks:
        with rank.frame("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "user_annotation"):
            rank.call("speech/corpus.py(61): __getitem__", 8_700 if planted else 100)


def test_reading_beside_communication_is_input(tmp_path: Path) -> None:
    planted = Planted(loader_beside_all_reduce, "input", "", world=2)
    with reading(write_ranks(run(planted), tmp_path), tmp_path) as reader:
        first, *others = findings(reader).rows
        assert first.cause is Cause.INPUT, text([first, *others])
        assert first.loss * reader.tick_ps / 1000 == pytest.approx(loss_ns(planted), rel=0.1), text([first, *others])
        assert Cause.COLLECTIVE not in {row.cause for row in others}


@pytest.mark.parametrize("own_us", [0, 1_800, 4_000])
def test_of_communication_that_is_awaited_the_rest_counts(tmp_path: Path, own_us: int) -> None:
    """The host prepares for a while, and waits for the rest of it in a function that no rule knows."""
    ranks = [Rank(0, 2), Rank(1, 2)]
    for number in range(FIRST_STEP, FIRST_STEP + STEPS):
        for rank in ranks:
            with rank.step(number):
                layers(rank)
        stop = begin_of_all_reduce(ranks)
        for rank in ranks:
            if own_us:
                rank.call("schedules.py(12): next_rate", own_us)
            rank.slice("torch/_tensor.py(521): backward", "python_function", rank.now, stop + 3_000)
            rank.now = stop + 3_000
    for rank in ranks:
        rank.wait()
    with reading(write_ranks(ranks, tmp_path), tmp_path) as reader:
        (group,) = groups(reader)
        us = 1_000_000 // reader.tick_ps
        for causes in group.causes:
            assert causes.ticks[Wait.COLLECTIVE].mean() / us == pytest.approx(GLOO_US - own_us, rel=0.02)
            own = causes.ticks[Wait.LAUNCH] + causes.ticks[Wait.SYNC]  # the wait for the device empties the queue
            assert own.mean() / us == pytest.approx(own_us, rel=0.02, abs=60)
