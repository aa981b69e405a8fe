"""Rows of tables of kernels that tell of an event: `kernel_details` and `op_summary`, joined by rank, stream and start.

Names and, where both have them, numbers of tasks are compared. Nothing of it is stored: the starts of a table are read
when somebody asks first, 12 bytes a row.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler.device_lines import is_ascend_device
from tilescope.tiler.facts.tables import RunTable, run_tables
from tilescope.tiler.plain_headers import plain_header
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.query.tracks import SLICE_KINDS
from tilescope.tiler.records.cell_values import MICROSECOND_DIGITS, header_times

Ints = NDArray[np.int64]

_MOST_CANDIDATES: Final = 1000  # rows of one start that are compared with an event
_COMMUNICATION: Final = re.compile(r"(?:HCCL|Communication)\b")
_STREAM: Final = re.compile(r"Stream ([0-9]{1,18})\b")
_PLANE: Final = re.compile(r"Plane\b")  # parts of communication kernels, which have no rows


# Columns with starts, in microseconds unless the header has another unit, and with names, as `plain_header` has them.
_FAMILIES: Final = {"kernel_details": ("starttime", "name"), "op_summary": ("taskstarttime", "opname")}


class KernelStarts(Struct, frozen=True):
    """Starts of the rows of a table."""

    ticks: Ints  # ascending
    rows: NDArray[np.int32]  # of each start its row

    def rows_at(self, tick: int) -> Ints:
        """The rows that start at a tick, ascending, the first of very many."""
        first, stop = np.searchsorted(self.ticks, [tick, tick + 1]).tolist()
        return self.rows[first : min(stop, first + _MOST_CANDIDATES)].astype(np.int64)


_STARTS: Final[KeyedRunCache[int, KernelStarts]] = KeyedRunCache(
    "kernel_starts", "Starts of the rows of tables of kernels", lambda starts: starts.ticks.nbytes + starts.rows.nbytes
)


class KernelRows:
    """A table of kernels, and the tracks whose events its rows tell of."""

    def __init__(self, reader: QueryReader, table: RunTable) -> None:
        """Raises KeyError for a table of another family, or without the columns of its own."""
        self.table = table
        self._reader = reader
        places = {plain_header(column): column for column in reversed(table.columns)}
        start, name = _FAMILIES[table.entry.family]
        self.start, self.name = places[start], places[name]
        self.stream, self.task = places.get("streamid", ""), places.get("taskid", "")

    def starts(self) -> Interruptible[KernelStarts]:
        """Starts of its rows within the run. Raises DamagedStore."""
        starts = _STARTS.get(self._reader, self.table.entry.id)
        if starts is None:
            starts = _STARTS.keep(self._reader, self.table.entry.id, (yield from self._read_starts()))
        return starts

    def streams(self, tracks: Iterable[int] | None = None) -> dict[int, int | None]:
        """The tracks of its events, of these or of all: the number of each stream, None of what is on no stream."""
        tree, host = self._reader.tree, self.table.entry.host
        if tracks is None:
            tracks = tree.of_host(host) if host else range(len(tree.tracks))
        elif host:
            tracks = [track for track in tracks if host in tree.hosts_of(track)]
        streams: dict[int, int | None] = {}
        for track in (tree.tracks[number] for number in tracks):
            process = tree.groups[track.group].name
            stream = _STREAM.match(track.name)
            if track.kind not in SLICE_KINDS or not track.events:
                continue
            if is_ascend_device(process) and stream is not None:
                streams[track.id] = int(stream[1])
            elif _COMMUNICATION.match(process) and not _PLANE.match(track.name):
                streams[track.id] = None
        return streams

    def rows_of(self, tick: int, name: str, stream: int | None, task: str | None) -> Interruptible[list[int]]:
        """The rows of an event; several where nothing tells them apart. Raises DamagedStore."""
        rows = (yield from self.starts()).rows_at(tick)
        names = yield from self._texts(self.name, rows)
        streams = yield from self._texts(self.stream, rows)
        tasks = yield from self._texts(self.task, rows)
        return [
            row
            for row, its_name, its_stream, its_task in zip(rows.tolist(), names, streams, tasks, strict=True)
            if its_name == name
            and (stream is None or not (its_stream or "").isdecimal() or its_stream == str(stream))
            and (its_task is None or task is None or its_task == task)
        ]

    def _read_starts(self) -> Interruptible[KernelStarts]:
        manifest = self._reader.manifest
        per_ns = 1000 // manifest.tick_ps
        ticks: list[Ints] = [np.zeros(0, np.int64)]
        rows: list[NDArray[np.int32]] = [np.zeros(0, np.int32)]
        first = 0
        for (column,) in self.table.chunks([self.start]):
            ns, ps, fits = header_times(column.chunk(0), self.start, MICROSECOND_DIGITS)
            since = ns - manifest.origin_ns
            # Where ticks are nanoseconds no event of the run has picoseconds.
            fits &= (since >= 0) & (since <= manifest.end // per_ns) & ((ps == 0) | (per_ns > 1))
            inside = np.flatnonzero(fits)
            ticks.append(since[inside] * per_ns + ps[inside])
            rows.append((first + inside).astype(np.int32))
            first += len(column)
            yield
        joined, numbers = np.concatenate(ticks), np.concatenate(rows)
        order = np.argsort(joined, kind="stable")
        return KernelStarts(joined[order], numbers[order])

    def _texts(self, name: str, rows: Ints) -> Interruptible[Sequence[str | None]]:
        if not name:
            return [None] * len(rows)
        return (yield from self.table.part(name, rows)).texts()


def kernel_tables(reader: QueryReader) -> list[KernelRows]:
    """All of a run. Raises StoredLast while it is indexed, DamagedStore."""
    tables = [as_kernel_rows(reader, table) for table in run_tables(reader, *_FAMILIES)]
    return [table for table in tables if table is not None]


def as_kernel_rows(reader: QueryReader, table: RunTable) -> KernelRows | None:
    """The same table as one of kernels; None where it is none."""
    try:
        return KernelRows(reader, table)
    except KeyError:
        return None
