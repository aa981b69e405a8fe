"""Devices that compute longer than the others, and which steps have a cause."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.facts.findings.candidates import affected, communication, late_devices, straggler
from tilescope.tiler.facts.findings.finding import Cause
from tilescope.tiler.facts.findings.losses import DeviceGroup


def group_of_times(
    computation: Sequence[Sequence[int]],
    communication: Sequence[Sequence[int]],
    groups: Sequence[int] | None = None,
) -> DeviceGroup:
    """Devices that compute and communicate, and do nothing else. `groups`: which wait for each other; None: all."""
    computed, shared = np.array(computation, np.int64), np.array(communication, np.int64)
    waiting = np.zeros(len(computed), np.int64) if groups is None else np.array(groups)
    return DeviceGroup((), (), computed + shared, computed, shared, waiting)


def test_a_late_device_and_its_excess() -> None:
    group = group_of_times([[100, 100], [100, 102], [150, 160], [101, 100]], [[60, 70], [60, 68], [10, 10], [59, 70]])
    late = late_devices(group)
    assert late is not None
    assert late.places == [2]
    assert late.others == [0, 1, 3]
    assert late.excess.tolist() == [[0, 0], [0, 0], [50, 60], [0, 0]]
    candidate = straggler(group, late, is_uneven=False)
    assert candidate.cause is Cause.STRAGGLER
    assert candidate.losses.tolist() == [49, 58]  # then the next slowest is the last
    uneven = straggler(group, late, is_uneven=True)
    assert uneven.cause is Cause.UNEVEN_WORK
    assert uneven.losses.tolist() == [37, 44]  # to the mean of all


def test_of_one_device_or_of_halves_none_is_late() -> None:
    assert late_devices(group_of_times([[100, 300]], [[0, 0]])) is None
    assert late_devices(group_of_times([[100], [100]], [[5], [5]])) is None
    assert late_devices(group_of_times([[100], [100], [150], [150]], [[55], [55], [5], [5]])) is not None
    assert late_devices(group_of_times([[100], [150], [150]], [[55], [5], [5]])) is None


def test_a_device_is_late_among_those_that_wait_for_it() -> None:
    """The first two devices compute little, and communicate quickly, by themselves."""
    computation, shared = [[50], [50], [100], [140], [101]], [[10], [10], [70], [30], [69]]
    group = group_of_times(computation, shared, [7, 7, 2, 2, 2])
    assert group.own.ravel().tolist() == [60, 60, 130, 170, 131]
    late = late_devices(group)
    assert late is not None
    assert (late.places, late.others) == ([3], [2, 4])
    assert late.excess.ravel().tolist() == [0, 0, 0, 40, 0]
    assert straggler(group, late, is_uneven=False).losses.tolist() == [39]
    assert straggler(group, late, is_uneven=True).amount.ravel().tolist() == [0, 0, -14, 26, -13]
    assert communication(group, is_passing=False).losses.tolist() == [30]
    apart = group_of_times([[50], [50], [100], [100]], [[10], [10], [30], [30]], [0, 0, 1, 1])
    assert late_devices(apart) is None


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=1, max_size=8))
def test_groups_that_are_alike_are_late_as_each_alone(devices: list[tuple[int, int]]) -> None:
    """The first group three times, as others: what is late in it is late in each, by as much."""
    computation, shared = ([[row[column]] for row in devices] for column in (0, 1))
    alone = late_devices(group_of_times(computation, shared))
    groups = [number for number in (5, 1, 3) for _ in devices]
    thrice = late_devices(group_of_times(computation * 3, shared * 3, groups))
    assert (alone is None) == (thrice is None)
    if alone is not None and thrice is not None:
        count = len(devices)
        assert sorted(thrice.places) == sorted(place + k * count for place in alone.places for k in range(3))
        assert thrice.others == [place + k * count for k in range(3) for place in alone.others]
        assert thrice.excess.ravel().tolist() == alone.excess.ravel().tolist() * 3


def test_of_two_devices_the_longer_one_is_late() -> None:
    late = late_devices(group_of_times([[100], [140]], [[45], [5]]))
    assert late is not None
    assert late.places == [1]
    assert late.excess.tolist() == [[0], [40]]


def test_waiting_for_a_late_device_is_no_communication() -> None:
    group = group_of_times([[100], [100], [160]], [[70], [70], [10]])
    assert group.step.tolist() == [170]
    assert communication(group, is_passing=False).losses.tolist() == [10]
    assert group.losses(np.zeros((3, 1), np.int64)).tolist() == [0]


def test_stages_that_pass_on_wait_for_the_busiest() -> None:
    group = group_of_times([[100], [120]], [[80], [60]])
    candidate = communication(group, is_passing=True)
    assert candidate.cause is Cause.PIPELINE_BUBBLE
    assert candidate.losses.tolist() == [60]


def test_steps_that_have_a_cause() -> None:
    assert affected(np.array([0, 0, 90, 0, 30, 0])).tolist() == [False, False, True, False, True, False]
    assert affected(np.array([90, 80, 90, 0])).all()
    assert affected(np.zeros(4, np.int64)).all()
