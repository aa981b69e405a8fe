"""The groups in which TPU cores reduce: a core waits in an all-reduce for the others of its group alone.

An all-reduce has the same id on all cores, whatever its groups. These are in the text of its instruction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import NotBuilt
from tilescope.tiler.facts.core_places import core_places
from tilescope.tiler.facts.operations import TpuCore, tpu_cores
from tilescope.tiler.facts.operations.track_records import OperationRecords, track_kinds
from tilescope.tiler.facts.step_times.category_codes import PART_CODES, part_codes
from tilescope.tiler.facts.step_times.group_lists import ALL, UNREAD, GroupList, group_lists
from tilescope.tiler.facts.step_times.parts import StepPart
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.records.device.xla_words import ALL_REDUCE_ID

Ints = NDArray[np.int64]

_ALL_REDUCE: Final = PART_CODES[StepPart.ALL_REDUCE_COMPUTE]


@dataclass(frozen=True, slots=True)
class ReduceGroups:
    """Lists of groups by the ids of all-reduces, which ascend; `list_of_id` is -1 over all cores, or UNREAD."""

    lists: Sequence[GroupList]
    ids: Ints
    list_of_id: Ints
    are_all: bool  # whether there are no other ids in the run

    def numbers(self, device: int | None, ids: Ints) -> Ints:
        """The group of a device in each of some all-reduces, a number that the devices of this group share."""
        if not len(self.ids):
            return np.zeros(len(ids), np.int64)
        group_of_list = [UNREAD, 0]
        group_of_list += [0 if device is None else group_list.group_of(device) for group_list in self.lists]
        position = np.minimum(np.searchsorted(self.ids, ids), len(self.ids) - 1)
        lists = np.where(self.ids[position] == ids, self.list_of_id[position], ALL)
        numbers: Ints = np.array(group_of_list, np.int64)[lists - UNREAD]
        return numbers


# Of the all-reduces that the first question is about, and True: of all.
_GROUPS: Final = KeyedRunCache[bool, ReduceGroups]("reduce_groups", "Groups in which TPU cores reduce")


def group_numbers(reader: QueryReader, ids_by_core: Mapping[TpuCore, Ints]) -> Interruptible[list[Ints]]:
    """The group of each core in each of its all-reduces: cores that share its number are one. Raises DamagedStore.

    All are 0 where an all-reduce is over all cores, where nothing says which cores are which devices, and while the run
    is indexed; UNREAD where the groups are not understood, or too many.
    """
    ids = np.unique(np.concatenate([np.zeros(0, np.int64), *ids_by_core.values()]))
    try:
        groups = _GROUPS.get(reader, False)
        if groups is None:
            groups = _GROUPS.keep(reader, False, (yield from _read_groups(reader, ids)))
        if not (groups.are_all or np.isin(ids, groups.ids).all()):
            groups = _GROUPS.get(reader, True)
            if groups is None:
                groups = _GROUPS.keep(reader, True, (yield from _read_groups(reader, None)))
        places = core_places(reader)
    except NotBuilt:
        return [np.zeros(len(core_ids), np.int64) for core_ids in ids_by_core.values()]
    numbers = []
    for core, core_ids in ids_by_core.items():
        place = places.get(core.group)
        numbers.append(groups.numbers(None if place is None else place.number, core_ids))
        yield
    return numbers


def _read_groups(reader: QueryReader, ids: Ints | None) -> Interruptible[ReduceGroups]:
    """The groups of these all-reduces (None: of all): cores are looked through until each is found.

    Raises DamagedStore, NotBuilt.
    """
    tracks = [track for core in tpu_cores(reader) for track in core.operations]
    lists = yield from group_lists(reader, tracks, {StepPart.ALL_REDUCE_COMPUTE})
    seen = lists_seen = np.zeros(0, np.int64)
    left = tracks if any(number != ALL for numbers in lists.by_kind.values() for number in numbers.values()) else []
    while left and (ids is None or not np.isin(ids, seen).all()):
        track, *left = left
        more = yield from _lists_of_ids(reader, track, lists.by_kind[track])
        seen, first = np.unique(np.concatenate([seen, more[0]]), return_index=True)
        lists_seen = np.concatenate([lists_seen, more[1]])[first]
    return ReduceGroups(lists.lists, seen, lists_seen, not left)


def _lists_of_ids(reader: QueryReader, track: int, list_of_kind: Mapping[int, int]) -> Interruptible[tuple[Ints, Ints]]:
    """Ids of a track's all-reduces, and the list of each."""
    ids, lists = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    kinds = track_kinds(reader, track)
    if kinds is None:
        return ids[0], lists[0]
    is_reduce = (yield from part_codes(reader, track, kinds)) == _ALL_REDUCE
    list_of = np.full(len(kinds.kinds), ALL, np.int64)
    list_of[list(list_of_kind)] = list(list_of_kind.values())
    records = OperationRecords(reader, track, kinds)
    for number in range(kinds.records):
        operations = records.operations(number)
        yield
        if ALL_REDUCE_ID in operations.numbers:
            record_ids = operations.number(ALL_REDUCE_ID, np.arange(len(operations)))
            rows = np.flatnonzero((record_ids >= 0) & is_reduce[operations.kind])
            ids.append(record_ids[rows])
            lists.append(list_of[operations.kind[rows]])
    return np.concatenate(ids), np.concatenate(lists)
