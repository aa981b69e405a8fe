"""Sentences of findings: what costs the time, where, in which steps, and how much."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tilescope.tiler.facts.findings.finding import Cause
from tilescope.tiler.facts.findings.sentences import (
    Loss,
    finding_sentence,
    healthy_sentence,
    host_only_sentence,
    idle_devices_sentence,
    no_work_sentence,
)

# Causes with sentences of their own.
APART = (Cause.NONE, Cause.HOST_ONLY, Cause.IDLE_DEVICES)
CAUSES = [cause for cause in Cause if cause not in APART]


def loss(steps: tuple[int, ...] = (), *, are_steps: bool = True) -> Loss:
    return Loss("8.1 ms", "12.6 ms", 0.6429, steps, "40 ms", are_steps)


def test_the_only_step_that_was_recorded_is_named() -> None:
    sentence = finding_sentence(Cause.COLLECTIVE, "", replace(loss(), alone=7))
    assert sentence == "Step #7 loses 8.1 ms of 12.6 ms (64.3 %) in communication that nothing hides"


@pytest.mark.parametrize(
    ("steps", "are_steps", "begin"),
    [
        ((), True, "Each step loses 8.1 ms of 12.6 ms (64.3 %) "),
        ((), False, "8.1 ms of 12.6 ms (64.3 %) are lost "),
        (
            (34,),
            True,
            "Step #34 is longer by 40 ms (averaged over all steps: 8.1 ms of 12.6 ms) ",
        ),
        (
            (34, 38),
            True,
            "Steps #34, #38 are longer by about 40 ms (averaged over all steps: 8.1 ms of 12.6 ms) ",
        ),
        (tuple(range(9)), True, "Steps #0, #1, #2, #3, #4, #5 and 3 more are longer by about 40 ms "),
    ],
)
def test_the_begin_says_how_much_and_in_which_steps(steps: tuple[int, ...], are_steps: bool, begin: str) -> None:
    sentence = finding_sentence(Cause.INPUT, "rank 2 · loader", loss(steps, are_steps=are_steps), "others wait")
    assert sentence.startswith(begin)
    assert sentence.endswith("because the next batch is not there in time: rank 2 · loader; others wait")


@pytest.mark.parametrize("cause", CAUSES)
def test_each_cause_has_words_of_its_own(cause: Cause) -> None:
    words = {other: finding_sentence(other, "", loss()) for other in CAUSES}
    assert list(words.values()).count(words[cause]) == 1
    assert words[cause].startswith("Each step loses 8.1 ms of 12.6 ms (64.3 %) ")
    assert not words[cause].endswith((":", ";", " "))


@given(
    cause=st.sampled_from(CAUSES),
    where=st.sampled_from(["", "rank 1 · GPU 1", "a: b; c"]),
    steps=st.lists(st.integers(0, 10**9), max_size=20, unique=True).map(tuple),
    are_steps=st.booleans(),
    detail=st.sampled_from(["", "it computes 9 ms a step, the others 7 ms"]),
)
@settings(max_examples=examples(200), deadline=None)
def test_a_sentence_has_all_that_it_is_made_of(
    cause: Cause, where: str, steps: tuple[int, ...], are_steps: bool, detail: str
) -> None:
    sentence = finding_sentence(cause, where, loss(steps, are_steps=are_steps), detail)
    for part in (where, detail, "8.1 ms", "12.6 ms"):
        assert part in sentence
    if are_steps and steps:
        shown = [int(word.strip("#,")) for word in sentence.split() if word.startswith("#")]
        assert shown == list(steps[:6])
        assert (f"and {len(steps) - 6} more" in sentence) == (len(steps) > 6)
    else:
        assert "#" not in sentence


def test_a_healthy_run_is_called_so_only_where_devices_compute() -> None:
    assert healthy_sentence(0.98, "gemm", 0.61, 0.01) == (
        "Nothing holds the devices up: they compute 98 % of the time; gemm takes 61 % of it"
    )
    assert healthy_sentence(0.98, "", 0.0, 0.01).endswith("98 % of the time")
    for computing, idle in ((0.5, 0.02), (0.85, 0.15)):
        assert healthy_sentence(computing, "gemm", 0.6, idle).startswith(
            "No cause of 3 % or more is seen: devices compute"
        )


def test_devices_that_do_nothing() -> None:
    assert idle_devices_sentence(["GPU 4"], 8).startswith("1 of 8 devices works: GPU 4; ")
    assert idle_devices_sentence(["GPU 4"], 8).endswith("at least 12 % of the time")
    names = [f"GPU {number}" for number in range(6)]
    assert "6 of 8 devices work: GPU 0, GPU 1, GPU 2, GPU 3 and 2 more; " in idle_devices_sentence(names, 8)


def test_runs_without_devices() -> None:
    assert host_only_sentence("step", 0.4).endswith(
        "on the host; step takes 40 % of the time of the thread that marks steps"
    )
    assert host_only_sentence("step", 0.4, 2).endswith("of the time of threads that mark steps")
    assert host_only_sentence("", 0.0) == "No device was recorded: the program computes on the host"
    assert host_only_sentence("", 0.0, has_devices=True) == "No device is among these tracks"
    assert no_work_sentence() == "No device computes in this range"
