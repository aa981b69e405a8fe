"""Cores and hosts that stand out, beside others of which nothing was recorded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tilescope.tiler.facts.step_times import StepClass, StepPart, StepTimes
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.tools.pod.stragglers import stragglers

STEPS = 4


def host(compute: int, *, operators_end: int = TICK_LIMIT) -> StepTimes:
    """Steps of 100 ps each, of which so many are computation."""
    number, ones = np.arange(STEPS), np.ones(STEPS, np.int64)
    parts = {StepPart.DEVICE_COMPUTE_32: compute * ones, StepPart.OTHERS: (100 - compute) * ones}
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
        parts=parts,
        overlap=False,
        counted=False,
        operators_end=operators_end,
    )


def standing_out(times: Sequence[StepTimes]) -> list[tuple[int, StepClass, float]]:
    rows = [host_times.is_recorded for host_times in times]
    return [(each.place, each.cause, each.median) for each in stragglers(times, rows)]


def test_hosts_of_which_nothing_was_recorded_are_not_usual() -> None:
    alone = [host(50), host(50), host(50), host(80)]
    assert standing_out(alone) == [(3, StepClass.DEVICE_COMPUTE, 0.5)]
    unrecorded = [host(0, operators_end=0) for _ in range(6)]
    assert standing_out([*alone, *unrecorded]) == standing_out(alone)
    assert standing_out([*unrecorded, host(50), host(50)]) == []


def test_steps_behind_the_last_operator_do_not_count() -> None:
    recorded = host(50)
    compute = np.array([50, 50, 0, 0])
    cut = replace(
        recorded,
        parts={StepPart.DEVICE_COMPUTE_32: compute, StepPart.OTHERS: 100 - compute},
        operators_end=200,
    )
    assert standing_out([cut, cut, cut, recorded]) == []
