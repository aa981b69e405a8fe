"""Lists of the groups in which TPU cores communicate, as the texts of collectives have them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import numpy as np

from tilescope.tiler.details.instruction_stats import LONG_NAME, STAT
from tilescope.tiler.facts.hlo import DeviceAssignment, HloDamage, device_assignment, programs_of
from tilescope.tiler.facts.hlo.replica_groups import (
    GroupsText,
    ReplicaGroups,
    UnreadGroups,
    groups_text,
    replica_groups,
)
from tilescope.tiler.facts.metadata_codes import metadata_codes
from tilescope.tiler.facts.operations.track_records import track_kinds
from tilescope.tiler.facts.step_times.category_codes import PART_CODES, part_codes
from tilescope.tiler.facts.step_times.parts import StepPart
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.records.device.operations import OperationKinds, program_id

# Instructions of a track whose texts are read.
_MOST_KINDS: Final = 4096
_MOST_IDS: Final = 1 << 22  # of devices, in all lists together

_DONE: Final = re.compile(r"-done\(")  # of the instruction that begins it are the groups

UNREAD: Final = -2  # in place of a group's number, and of its list's: nothing understood says who communicates
ALL: Final = -1  # in place of a list's number: all cores are one group


@dataclass(frozen=True, slots=True)
class GroupList:
    """Groups, with the places of devices in their program, as far as it says them."""

    groups: ReplicaGroups
    assignment: DeviceAssignment | None

    def group_of(self, device: int) -> int:
        """The group of a device; -1: it is in none."""
        if self.assignment is None:
            return self.groups.group_of(device, 0, 1)
        return self.groups.group_of(*self.assignment.places.get(device, (-1, 0)), self.assignment.partitions)


@dataclass(frozen=True, slots=True)
class GroupLists:
    """Lists, and by track of each kind of collectives the number of its list, ALL or UNREAD."""

    lists: Sequence[GroupList]
    by_kind: Mapping[int, Mapping[int, int]]


def group_lists(reader: QueryReader, tracks: Sequence[int], parts: Set[StepPart]) -> Interruptible[GroupLists]:
    """The lists of the collectives on some tracks of TPU cores that are these parts. Raises DamagedStore, NotBuilt."""
    lists: list[tuple[ReplicaGroups, str]] = []  # each with its program
    list_of_text: dict[tuple[str, GroupsText] | None, int] = {None: UNREAD}
    by_kind, room = {}, _MOST_IDS
    for track in tracks:
        texts = yield from _texts(reader, track, parts)
        for key in dict.fromkeys(texts.values()):
            if key in list_of_text:
                continue
            groups, number = None, UNREAD
            if key is not None and room > 0:
                with suppress(UnreadGroups):
                    groups, number = replica_groups(key[1]), ALL
                if groups is not None:
                    number, room = len(lists), room - len(groups.group)
                    lists.append((groups, key[0]))
            list_of_text[key] = number
            yield
        by_kind[track] = {kind: list_of_text[key] for kind, key in texts.items()}
    assignments = yield from _assignments(reader, {program for _, program in lists})
    return GroupLists([GroupList(groups, assignments.get(program)) for groups, program in lists], by_kind)


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


def _texts(
    reader: QueryReader, track: int, parts: Set[StepPart]
) -> Interruptible[dict[int, tuple[str, GroupsText] | None]]:
    """The program and the groups' text of each kind of collectives of a track; None: there are too many to read it."""
    file, kinds = reader.file_of(track), track_kinds(reader, track)
    tables = reader.event_metadata(file)
    if tables is None or kinds is None:
        return {}
    codes = yield from part_codes(reader, track, kinds)
    metadata = OperationKinds.of(kinds.kinds).metadata
    is_collective = np.isin(codes, [PART_CODES[part] for part in parts]) & (metadata >= 0) & (metadata < len(tables))
    places, more = np.split(np.flatnonzero(is_collective), [_MOST_KINDS])
    keys: dict[int, tuple[str, GroupsText] | None] = dict.fromkeys(more.tolist())
    if not len(places):
        return keys
    numbers = tables.alike[metadata[places]]
    rows = metadata_codes(reader)
    yield from rows.rows_of(file, tables, numbers)
    matrix = rows.matrix[rows.of(file, numbers)]
    texts, programs = (rows.values.of(matrix[:, column]) for column in (LONG_NAME, STAT["program_id"]))
    for place, text, program in zip(places.tolist(), texts, programs, strict=True):
        if isinstance(text, str) and not _DONE.search(text):
            keys[place] = program_id(str(program)), groups_text(text)
    return keys
