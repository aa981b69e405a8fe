"""Groups of devices that wait for each other: those that communicate, directly or through others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts import Device
from tilescope.tiler.facts.core_places import core_places
from tilescope.tiler.facts.operations import tpu_cores
from tilescope.tiler.facts.step_times import StepPart
from tilescope.tiler.facts.step_times.group_lists import ALL, GroupList, group_lists
from tilescope.tiler.query import Interruptible, QueryReader

Ints = NDArray[np.int64]

_COMMUNICATION: Final = frozenset(
    {StepPart.ALL_REDUCE_COMPUTE, StepPart.COLLECTIVES, StepPart.SEND, StepPart.RECV, StepPart.MEGACORE}
)


def waiting_groups(reader: QueryReader, devices: Sequence[Device]) -> Interruptible[Ints]:
    """A number for each device, shape (n,), which those share that wait for each other. Raises DamagedStore, NotBuilt.

    TPU cores say it by the groups of their collectives. All are 0 where any communication is over all devices, or lists
    no groups that are understood, and of other devices.
    """
    places, cores = core_places(reader), {core.group: core for core in tpu_cores(reader)}
    numbers = [place.number for device in devices if (place := places.get(device.group)) is not None]
    own_cores = [cores[device.group] for device in devices if device.group in cores]
    are_placed = len(devices) == len(numbers) == len(own_cores) > 1
    if not are_placed or None in numbers:
        return np.zeros(len(devices), np.int64)
    tracks = [track for core in own_cores for track in core.operations]
    for part in (tracks[:1], tracks):  # as a rule all run one program, and the first tells that all communicate
        lists = yield from group_lists(reader, part, _COMMUNICATION)
        if min((number for kinds in lists.by_kind.values() for number in kinds.values()), default=ALL) < 0:
            return np.zeros(len(devices), np.int64)
    return _joined(lists.lists, [number for number in numbers if number is not None])


def _joined(lists: Sequence[GroupList], numbers: Sequence[int]) -> Ints:
    """The groups of these devices by several lists: those that share one in any of them are one."""
    joined = np.arange(len(numbers))
    for group_list in lists:
        of_list = np.array([group_list.group_of(number) for number in numbers])
        for group in np.unique(of_list[of_list >= 0]).tolist():
            members = joined[of_list == group]
            joined[np.isin(joined, members)] = members.min()
    return joined
