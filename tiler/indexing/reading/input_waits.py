"""Waits for input that a file draws behind their steps: each becomes a slice before its step.

What a wait is, two flow ends, and when it ends, with the begin of a slice, is known when the file has been read. Its
duration is the time between the two.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from msgspec import structs
from numpy.typing import NDArray

from tilescope.tiler.columns import DrawnWaits, EventChunk, Phase, TraceSummary
from tilescope.tiler.indexing.reading.gather import Gatherer
from tilescope.tiler.indexing.reading.piece import one_track, select

Ints = NDArray[np.int64]


class _Row(NamedTuple):
    """An event, by its place."""

    piece: int
    row: int
    time_ns: int
    time_ps: int


class _Wait(NamedTuple):
    """A wait at its place; `row` is that of its end in its piece."""

    row: int
    time_ns: int
    time_ps: int
    duration_ns: int
    duration_ps: int


def place_waits(gathered: Gatherer, summary: TraceSummary) -> None:
    """Makes a slice of the two flow ends of each wait, once the file has been read. The counts follow.

    A wait whose flow ends or step are there more than once stays as it is, and so does one that would begin before all
    events of the file: those of the step before it are in another file, which has the wait as well.
    """
    first_ns = gathered.span.first_ns
    if first_ns is None:
        return
    placed = sum(_place(gathered, waits, _first_of_host(gathered, summary, waits.steps)) for waits in summary.waits)
    counts = summary.counts
    summary.counts = structs.replace(
        counts, flow_ends=counts.flow_ends - 2 * placed, slices=counts.slices + placed, other=counts.other + placed
    )


def _place(gathered: Gatherer, waits: DrawnWaits, first_ns: int) -> int:
    begins = _single_rows(gathered, waits.flows, waits.step_names, (Phase.FLOW_START,))
    ends = _single_rows(gathered, waits.flows, waits.step_names, (Phase.FLOW_STEP, Phase.FLOW_END))
    step_names = [waits.step_names[name] for name in begins.keys() & ends.keys()]
    steps = _single_rows(gathered, waits.steps, step_names, (Phase.COMPLETE, Phase.BEGIN))
    moved: dict[int, list[int]] = {}  # rows by piece
    placed: dict[int, list[_Wait]] = {}  # by the piece of their ends
    pieces = gathered.pieces(waits.flows)
    for name in begins.keys() & ends.keys():
        begin, end, step = begins[name], ends[name], steps.get(waits.step_names[name])
        wait = None if step is None else _wait(begin, end, step, first_ns)
        if wait is not None:
            placed.setdefault(end.piece, []).append(wait)
            moved.setdefault(begin.piece, []).append(begin.row)
            moved.setdefault(end.piece, []).append(end.row)
    for number, rows in moved.items():
        gathered.remove(waits.flows, number, pieces[number], np.array(sorted(rows), np.int64))
    for number in sorted(placed):
        gathered.add_last(_slices(gathered, pieces[number], waits.to, sorted(placed[number])))
    return sum(map(len, placed.values()))


def _first_of_host(gathered: Gatherer, summary: TraceSummary, track: int) -> int:
    """The time of the first event on a track's host: an export may have events of several."""
    hosts = [summary.processes[entry.process].host for entry in summary.tracks]
    first_ns = gathered.span.first_ns
    assert first_ns is not None
    if hosts.count(hosts[track]) == len(hosts):
        return first_ns
    times = [
        int(time_ns.min())
        for number, host in enumerate(hosts)
        if host == hosts[track]
        for piece in gathered.pieces(number)
        if len(time_ns := piece.time_ns[piece.phase < Phase.FLOW_START])
    ]
    return min(times, default=first_ns)


def _single_rows(gathered: Gatherer, track: int, names: Collection[int], phases: tuple[Phase, ...]) -> dict[int, _Row]:
    """The only event of each of these names that has one, by the name."""
    wanted = np.array(sorted(names), np.int64)
    name_parts, row_parts = [np.zeros(0, np.int64)], [np.zeros((0, 4), np.int64)]
    for columns, name in _rows(gathered, track, wanted, phases):
        name_parts.append(name)
        row_parts.append(columns)
    distinct, first, count = np.unique(np.concatenate(name_parts), return_index=True, return_counts=True)
    single = count == 1
    rows = np.concatenate(row_parts)[first[single]]
    return {name: _Row(*row) for name, row in zip(distinct[single].tolist(), rows.tolist(), strict=True)}


def _rows(gathered: Gatherer, track: int, wanted: Ints, phases: tuple[Phase, ...]) -> Iterator[tuple[Ints, Ints]]:
    """Columns of `_Row`, shape (n, 4), and names."""
    for number, piece in enumerate(gathered.pieces(track)):
        rows = np.flatnonzero(np.isin(piece.phase, phases) & np.isin(piece.name, wanted))
        if len(rows):
            time_ps = np.zeros(len(rows), np.int64) if piece.time_ps is None else piece.time_ps[rows]
            columns = np.full(len(rows), number), rows, piece.time_ns[rows], time_ps
            yield np.stack(columns, axis=1).astype(np.int64), piece.name[rows].astype(np.int64)


def _wait(begin: _Row, end: _Row, step: _Row, first_ns: int) -> _Wait | None:
    """None for one that would end before it begins, or begin before all events."""
    duration_ps = (end.time_ns - begin.time_ns) * 1000 + end.time_ps - begin.time_ps
    start_ps = step.time_ns * 1000 + step.time_ps - duration_ps
    if duration_ps < 0 or start_ps // 1000 < first_ns:
        return None
    return _Wait(end.row, *divmod(start_ps, 1000), *divmod(duration_ps, 1000))


def _slices(gathered: Gatherer, piece: EventChunk, track: int, waits: Sequence[_Wait]) -> EventChunk:
    """The waits whose ends are in a piece, with the arguments of these."""
    row, time_ns, time_ps, duration_ns, duration_ps = np.array(waits, np.int64).T
    return replace(
        select(piece, row, gathered.scratch),
        track=one_track(track, len(waits)),
        phase=np.full(len(waits), Phase.COMPLETE, np.uint8),
        time_ns=np.ascontiguousarray(time_ns),
        time_ps=time_ps.astype(np.int16),
        duration_ns=np.ascontiguousarray(duration_ns),
        duration_ps=duration_ps.astype(np.int16),
        key=None,
        flags=np.zeros(len(waits), np.uint8),
    )
