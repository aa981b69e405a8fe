"""Pauses are named by the step of the host in which they begin, wherever the device loses the time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tiler.facts.findings.answers import findings, reading, text
from tests.tiler.facts.findings.pytorch_causes import FIRST_STEP, STEPS, layers
from tests.tiler.facts.findings.pytorch_run import Rank, write_ranks
from tilescope.tiler.facts.findings import Cause

PAUSE_US = 83_000


def save(rank: Rank) -> None:
    with rank.frame("runner.py(310): save_checkpoint"):
        rank.call("safetensors/torch.py(290): save_file", PAUSE_US)


def draw(rank: Rank) -> None:
    """No rule has a name for it."""
    rank.call("seaborn/axisgrid.py(2119): pairplot", PAUSE_US)


def step(
    rank: Rank, number: int, *, before: Callable[[Rank], None] | None, after: Callable[[Rank], None] | None
) -> None:
    with rank.step(number):
        if before is not None:
            before(rank)
        layers(rank)
        rank.wait()
        if after is not None:
            after(rank)


@pytest.mark.parametrize("pause", [save, draw])
@pytest.mark.parametrize("place", ["before the work", "after the work"])
def test_a_pause_is_named_by_the_step_in_which_it_begins(
    tmp_path: Path, pause: Callable[[Rank], None], place: str
) -> None:
    """After the work of a step, its device waits in the next one."""
    rank = Rank()
    for number in range(FIRST_STEP, FIRST_STEP + STEPS):
        chosen = pause if number in (34, 36) else None
        is_before = place == "before the work"
        step(rank, number, before=chosen if is_before else None, after=None if is_before else chosen)
    with reading(write_ranks([rank], tmp_path), tmp_path) as reader:
        row, *others = findings(reader).rows
        assert (row.cause, row.steps) == (Cause.HOST_PAUSE, (34, 36)), text([row, *others])
        assert row.sentence.startswith("Steps #34, #36 are longer by about 83"), row.sentence
        assert row.loss * reader.tick_ps / 1e6 == pytest.approx(2 * PAUSE_US / (STEPS - 1), rel=0.05)


def test_a_pause_between_two_steps_is_named_by_that_which_waits(tmp_path: Path) -> None:
    rank = Rank()
    for number in range(FIRST_STEP, FIRST_STEP + STEPS):
        step(rank, number, before=None, after=None)
        if number == 35:
            save(rank)
    with reading(write_ranks([rank], tmp_path), tmp_path) as reader:
        row, *others = findings(reader).rows
    assert (row.cause, row.steps) == (Cause.HOST_PAUSE, (36,)), text([row, *others])


def test_a_pause_that_begins_in_a_step_that_is_left_out_is_named_by_it(tmp_path: Path) -> None:
    """The first recorded step is no frame: the device loses the time in the second."""
    rank = Rank()
    for number in range(FIRST_STEP, FIRST_STEP + STEPS):
        step(rank, number, before=None, after=save if number == FIRST_STEP else None)
    with reading(write_ranks([rank], tmp_path), tmp_path) as reader:
        row, *others = findings(reader).rows
    assert (row.cause, row.steps) == (Cause.HOST_PAUSE, (FIRST_STEP,)), text([row, *others])


def test_a_step_that_is_longer_all_over_names_what_most_of_it_goes_to(tmp_path: Path) -> None:
    """The longest stretch of all is of nothing that was recorded, and a small part of the pause."""
    rank = Rank()

    def slow(rank: Rank) -> None:
        rank.wait()
        rank.spend(4_000)
        for _ in range(40):
            rank.call("pool.py(9): reserve", 1_500)
            layers(rank, 1, kernel_us=10)

    for number in range(FIRST_STEP, FIRST_STEP + STEPS):
        step(rank, number, before=slow if number == 35 else None, after=None)
    with reading(write_ranks([rank], tmp_path), tmp_path) as reader:
        row, *others = findings(reader).rows
    assert (row.cause, row.steps) == (Cause.HOST_PAUSE, (35,)), text([row, *others])
    assert "reserve" in row.where, text([row, *others])
