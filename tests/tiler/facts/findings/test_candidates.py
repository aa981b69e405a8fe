"""Devices that compute longer than the others, and which steps have a cause."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tilescope.tiler.facts.findings.candidates import affected, communication, late_devices, straggler
from tilescope.tiler.facts.findings.finding import Cause
from tilescope.tiler.facts.findings.losses import DeviceGroup


def group_of_times(computation: Sequence[Sequence[int]], communication: Sequence[Sequence[int]]) -> DeviceGroup:
    """Devices that compute and communicate, and do nothing else."""
    computed, shared = np.array(computation, np.int64), np.array(communication, np.int64)
    return DeviceGroup((), (), computed + shared, computed, shared, shared.min(axis=0))


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


def test_of_two_devices_the_longer_one_is_late() -> None:
    late = late_devices(group_of_times([[100], [140]], [[45], [5]]))
    assert late is not None
    assert late.places == [1]
    assert late.excess.tolist() == [[0], [40]]


def test_waiting_for_a_late_device_is_no_communication() -> None:
    group = group_of_times([[100], [100], [160]], [[70], [70], [10]])
    assert group.step.tolist() == [170]
    assert communication(group, [0.0] * 3).losses.tolist() == [10]
    assert group.losses(np.zeros((3, 1), np.int64)).tolist() == [0]


def test_stages_that_pass_on_wait_for_the_busiest() -> None:
    group = group_of_times([[100], [120]], [[80], [60]])
    candidate = communication(group, [0.9, 0.8])
    assert candidate.cause is Cause.PIPELINE_BUBBLE
    assert candidate.losses.tolist() == [60]


def test_steps_that_have_a_cause() -> None:
    assert affected(np.array([0, 0, 90, 0, 30, 0])).tolist() == [False, False, True, False, True, False]
    assert affected(np.array([90, 80, 90, 0])).all()
    assert affected(np.zeros(4, np.int64)).all()
