"""Rows of steps that count in what is said of their parts: one rule for all tools."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tilescope.tiler.facts.step_times import StepPart, StepTimes, aligned
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.tools.input_pipeline.device_tables import host_steps
from tilescope.tiler.tools.question_windows import QuestionWindows
from tilescope.tiler.tools.step_times import AskedSteps
from tilescope.tiler.windows import Windows, everywhere

STEPS = 4


def host(parts: Mapping[StepPart, int], operators_end: int) -> StepTimes:
    """Four steps of 100 ps, of these parts."""
    number, ones = np.arange(STEPS), np.ones(STEPS, np.int64)
    rest = 100 - sum(parts.values())
    return StepTimes(
        group=0,
        number=number,
        pass_=0 * ones,
        start=100 * number,
        stop=100 * number + 100,
        is_whole=ones > 0,
        track=-ones,
        ordinal=-ones,
        duration=100 * ones,
        parts={**{part: ps * ones for part, ps in parts.items()}, StepPart.OTHERS: rest * ones},
        overlap=False,
        counted=False,
        operators_end=operators_end,
    )


def steps_of(*times: StepTimes) -> AskedSteps:
    windows = QuestionWindows(everywhere(Windows.single(0, TICK_LIMIT)), TickRange(0, 400), TickRange(0, 400))
    names = [f"host {place}" for place in range(len(times))]
    return AskedSteps(times, aligned(times), names, names, 1, windows, [], "")


def test_parts_are_those_of_recorded_rows_alone() -> None:
    """Half precision and copies of a host that was cut off count up to there, as the parts of its steps do."""
    whole = host({StepPart.DEVICE_COMPUTE_32: 30, StepPart.HOST_TO_DEVICE: 10}, TICK_LIMIT)
    cut = host({StepPart.DEVICE_COMPUTE_16: 30, StepPart.HOST_TO_DEVICE: 50}, 100)
    steps = steps_of(whole, cut)
    assert [rows.tolist() for rows in steps.recorded_rows] == [[True] * 4, [True, False, False, False]]
    assert steps.recorded_ps([StepPart.HOST_TO_DEVICE]) == 4 * 10 + 50
    measured = host_steps(steps, 100)
    (half,) = (fact for fact in measured.facts if fact.id == "low_precision")
    assert half.value == 30 / (4 * 30 + 30)
    assert measured.input_share == (4 * 10 + 50) / 500


def test_of_steps_without_recorded_operators_nothing_is_said() -> None:
    steps = steps_of(host({StepPart.HOST_TO_DEVICE: 50}, 0))
    assert not steps.are_recorded
    assert host_steps(steps, 100).input_share is None


def test_computation_of_no_precision_is_not_of_32_bits() -> None:
    """Names of Ascend's operators tell no precision: 0 % of 16 bits would be a claim."""
    measured = host_steps(steps_of(host({StepPart.DEVICE_COMPUTE: 30}, TICK_LIMIT)), 100)
    assert [fact for fact in measured.facts if fact.id == "low_precision"] == []
