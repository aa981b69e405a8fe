"""Rows of the tables of a run about one event: of kernels, and of the parallel strategies of operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec import Struct

from tilescope.tiler.errors import UsageError
from tilescope.tiler.facts.kernel_rows import kernel_tables
from tilescope.tiler.facts.tables import RunTable, run_tables
from tilescope.tiler.lookup.events import event_details
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.tracks import SLICE_KINDS

_STRATEGIES: Final = "parallel_strategy.graph.node"
_OPERATOR: Final = "fullName"
# Arguments of events, in small letters.
_TASK: Final = "task id"
_FULL_NAME: Final = "fullname"
_DEVICE: Final = "Device "  # how processes are called, before the rank

_MOST_ROWS: Final = 10  # of a table


class RowAboutEvent(Struct, frozen=True):
    """A row of a table, by its number there."""

    table: RunTable
    row: int
    alike: int  # rows of the table that fit as well as this one


def event_rows(reader: QueryReader, track: int, ordinal: int) -> Interruptible[Sequence[RowAboutEvent]]:
    """The rows about one event, table by table, of many that are alike the first. Raises UsageError: there is none."""
    reader.tree.kind(track)
    details = event_details(reader.store, track, ordinal)
    if details is None:
        raise UsageError(f"track {track} has no event {ordinal}")
    yield
    if reader.tree.tracks[track].kind not in SLICE_KINDS:
        return []
    args = {str(arg["name"]).lower(): arg["value"] for arg in details["args"]}
    task = None if args.get(_TASK) is None else str(args[_TASK])
    operator = str(args.get(_FULL_NAME, details["name"]))
    rows: list[RowAboutEvent] = []
    for kernels in kernel_tables(reader):
        streams = kernels.streams([track])
        if track in streams:
            start, stream = int(details["start"]), streams[track]
            rows += _rows(kernels.table, (yield from kernels.rows_of(start, details["name"], stream, task)))
    strategies = [table for table in run_tables(reader, _STRATEGIES) if _OPERATOR in table]
    hosts, devices = reader.tree.hosts_of(track), _devices_beside(reader, track) if strategies else set()
    yield
    for table in strategies:
        host = table.entry.host
        if not host or host in hosts or f"{_DEVICE}{table.entry.rank}" in devices:
            codes, words = (yield from table.column(_OPERATOR)).coded()
            if operator in words:
                rows += _rows(table, np.flatnonzero(codes == words.index(operator)).tolist())
    return rows


def _rows(table: RunTable, rows: Sequence[int]) -> list[RowAboutEvent]:
    return [RowAboutEvent(table, row, len(rows) - 1) for row in rows[:_MOST_ROWS]]


def _devices_beside(reader: QueryReader, track: int) -> set[str]:
    """The processes `Device N` in the file of a track. All tracks of a process are in one file."""
    tree, file = reader.tree, reader.file_of(track)
    firsts = {row.group: row for row in reversed(tree.tracks) if tree.groups[row.group].name.startswith(_DEVICE)}
    return {tree.groups[group].name for group, row in firsts.items() if reader.file_of(row.id) == file}
