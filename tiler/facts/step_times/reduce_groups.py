"""The groups in which TPU cores reduce: a core waits in an all-reduce for the others of its group alone.

An all-reduce has the same id on all cores, whatever its groups. These are in the text of its instruction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.details.instruction_stats import LONG_NAME, STAT
from tilescope.tiler.errors import NotBuilt
from tilescope.tiler.facts.core_places import core_places
from tilescope.tiler.facts.hlo import DeviceAssignment, HloDamage, device_assignment, programs_of
from tilescope.tiler.facts.hlo.replica_groups import (
    GroupsText,
    ReplicaGroups,
    UnreadGroups,
    groups_text,
    replica_groups,
)
from tilescope.tiler.facts.metadata_codes import metadata_codes
from tilescope.tiler.facts.operations import TpuCore, tpu_cores
from tilescope.tiler.facts.operations.track_records import OperationRecords, track_kinds
from tilescope.tiler.facts.step_times.category_codes import PART_CODES, part_codes
from tilescope.tiler.facts.step_times.parts import StepPart
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.records.device.operations import OperationKinds, program_id
from tilescope.tiler.records.device.xla_words import ALL_REDUCE_ID

Ints = NDArray[np.int64]

_ALL_REDUCE: Final = PART_CODES[StepPart.ALL_REDUCE_COMPUTE]

# Instructions of a track whose texts are read.
_MOST_KINDS: Final = 4096
_MOST_IDS: Final = 1 << 22  # of devices, in all lists together

UNREAD: Final = -2  # in place of a group's number, and of its list's: nothing understood says who reduces together
_ALL: Final = -1  # in place of a list's number: all cores are one group


@dataclass(frozen=True, slots=True)
class ReduceGroups:
    """Lists of groups by the ids of all-reduces, which ascend; `list_of_id` is -1 over all cores, or UNREAD."""

    lists: Sequence[tuple[ReplicaGroups, DeviceAssignment | None]]
    ids: Ints
    list_of_id: Ints
    are_all: bool  # whether there are no other ids in the run

    def numbers(self, device: int | None, ids: Ints) -> Ints:
        """The group of a device in each of some all-reduces, a number that the devices of this group share."""
        if not len(self.ids):
            return np.zeros(len(ids), np.int64)
        group_of_list = [UNREAD, 0]
        for groups, assignment in self.lists:
            if device is None:
                group_of_list.append(0)
            elif assignment is None:
                group_of_list.append(groups.group_of(device, 0, 1))
            else:
                group_of_list.append(groups.group_of(*assignment.places.get(device, (-1, 0)), assignment.partitions))
        position = np.minimum(np.searchsorted(self.ids, ids), len(self.ids) - 1)
        lists = np.where(self.ids[position] == ids, self.list_of_id[position], _ALL)
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
    lists: list[tuple[ReplicaGroups, str]] = []  # each with its program
    list_of_text: dict[tuple[str, GroupsText] | None, int] = {None: UNREAD}
    tracks = [track for core in tpu_cores(reader) for track in core.operations]
    lists_by_track, room = {}, _MOST_IDS
    for track in tracks:
        texts = yield from _texts(reader, track)
        for key in dict.fromkeys(texts.values()):
            if key in list_of_text:
                continue
            groups, number = None, UNREAD
            if key is not None and room > 0:
                with suppress(UnreadGroups):
                    groups, number = replica_groups(key[1]), _ALL
                if groups is not None:
                    number, room = len(lists), room - len(groups.group)
                    lists.append((groups, key[0]))
            list_of_text[key] = number
            yield
        lists_by_track[track] = {kind: list_of_text[key] for kind, key in texts.items()}
    seen = lists_seen = np.zeros(0, np.int64)
    left = tracks if any(number != _ALL for numbers in lists_by_track.values() for number in numbers.values()) else []
    while left and (ids is None or not np.isin(ids, seen).all()):
        track, *left = left
        more = yield from _lists_of_ids(reader, track, lists_by_track[track])
        seen, first = np.unique(np.concatenate([seen, more[0]]), return_index=True)
        lists_seen = np.concatenate([lists_seen, more[1]])[first]
    assignments = yield from _assignments(reader, {program for _, program in lists})
    return ReduceGroups([(groups, assignments.get(program)) for groups, program in lists], seen, lists_seen, not left)


def _assignments(reader: QueryReader, ids: Set[str]) -> Interruptible[dict[str, DeviceAssignment]]:
    """Assignments of devices by the ids of programs. Damaged ones say none."""
    assignments: dict[str, DeviceAssignment] = {}
    for program in programs_of(reader) if ids else ():
        if program.id not in ids or program.id in assignments:
            continue
        try:
            assignment = yield from device_assignment(reader, program)
        except HloDamage:
            continue
        if assignment is not None:
            assignments[program.id] = assignment
    return assignments


def _texts(reader: QueryReader, track: int) -> Interruptible[dict[int, tuple[str, GroupsText] | None]]:
    """The program and the groups' text of each kind of all-reduce of a track; None: there are too many to read it."""
    file, kinds = reader.file_of(track), track_kinds(reader, track)
    tables = reader.event_metadata(file)
    if tables is None or kinds is None:
        return {}
    codes = yield from part_codes(reader, track, kinds)
    metadata = OperationKinds.of(kinds.kinds).metadata
    is_reduce = (codes == _ALL_REDUCE) & (metadata >= 0) & (metadata < len(tables))
    places, more = np.split(np.flatnonzero(is_reduce), [_MOST_KINDS])
    keys: dict[int, tuple[str, GroupsText] | None] = dict.fromkeys(more.tolist())
    if not len(places):
        return keys
    numbers = tables.alike[metadata[places]]
    rows = metadata_codes(reader)
    yield from rows.rows_of(file, tables, numbers)
    matrix = rows.matrix[rows.of(file, numbers)]
    texts, programs = (rows.values.of(matrix[:, column]) for column in (LONG_NAME, STAT["program_id"]))
    for place, text, program in zip(places.tolist(), texts, programs, strict=True):
        if isinstance(text, str):
            keys[place] = program_id(str(program)), groups_text(text)
    return keys


def _lists_of_ids(reader: QueryReader, track: int, list_of_kind: Mapping[int, int]) -> Interruptible[tuple[Ints, Ints]]:
    """Ids of a track's all-reduces, and the list of each."""
    ids, lists = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    kinds = track_kinds(reader, track)
    if kinds is None:
        return ids[0], lists[0]
    is_reduce = (yield from part_codes(reader, track, kinds)) == _ALL_REDUCE
    list_of = np.full(len(kinds.kinds), _ALL, np.int64)
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
