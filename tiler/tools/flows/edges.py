"""Numbers of flows from track to track: those that leave, and those that arrive, in the windows of a question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.launches.device_launches import launch_starts, slice_ticks
from tilescope.tiler.lookup.flow_ends import flow_ends
from tilescope.tiler.lookup.launches import launched_work, launches_of_track
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.records.flow_ends import FlowEnds
from tilescope.tiler.records.launches import Launches, LaunchWay
from tilescope.tiler.windows import Mask, Windows, WindowsOf

Ints = NDArray[np.int64]

# Rows are summed up as soon as there are so many: memory does not grow with the number of tracks.
_ROWS_AT_ONCE: Final = 200_000
_FAR: Final = np.int64(1 << 62)


@dataclass(frozen=True, slots=True)
class TrackFlows:
    """Flows between two tracks, columns of shape (n,). Delays are those of flows that leave."""

    source: Ints  # track
    target: Ints
    leaving: Ints  # ends that leave the source in what is looked at
    arriving: Ints  # ends that arrive at the target
    derived: Ints  # of those that leave: no flows of the file, but correlations
    delay: Ints  # the sum
    shortest: Ints  # far away where none leaves
    longest: Ints

    def __len__(self) -> int:
        return len(self.source)

    def take(self, which: Ints | slice) -> TrackFlows:
        """Some of them."""
        return TrackFlows(*(getattr(self, column)[which] for column in self.__slots__))


def flow_edges(reader: QueryReader, tracks: Sequence[int], windows_of: WindowsOf) -> Interruptible[TrackFlows]:
    """Flows by pair of tracks, from the flow ends in the windows of each track, most first. Raises DamagedStore."""
    parts = [_sums([])]
    rows = 0
    for track in tracks:
        windows = windows_of(track)
        # The file's flows, then launches that none of them tells.
        chunks: Iterator[tuple[FlowEnds | Launches, bool]] = chain(
            ((ends, False) for ends in flow_ends(reader.store, track)),
            ((launches, False) for launches in launches_of_track(reader.store, track)),
            ((work, True) for work in launched_work(reader.store, track, *reader.ordinals_near(track, windows))),
        )
        for chunk, leaves in chunks:
            if isinstance(chunk, FlowEnds):
                columns = (chunk.tick, chunk.incoming, chunk.partner_track, chunk.partner_tick)
                ticks = FlowTicks(*columns, np.zeros(len(chunk), np.int64))
            else:
                ticks = yield from _launch_ticks(reader, track, chunk, leaves, windows)
            part = _of_chunk(track, ticks.take(windows.hold(ticks.tick)))
            parts.append(part)
            rows += len(part)
            if rows > _ROWS_AT_ONCE:
                parts = [_sums(parts)]
                rows = len(parts[0])
            yield
    flows = _sums(parts)
    return flows.take(np.lexsort((flows.target, flows.source, -np.maximum(flows.leaving, flows.arriving))))


@dataclass(frozen=True, slots=True)
class FlowTicks:
    """Flow ends on a track, columns of shape (n,) as those of FlowEnds."""

    tick: Ints
    incoming: Ints
    partner_track: Ints
    partner_tick: Ints
    derived: Ints

    def take(self, which: Mask) -> FlowTicks:
        """Some of them."""
        return FlowTicks(*(getattr(self, column)[which] for column in self.__slots__))


def _launch_ticks(
    reader: QueryReader, track: int, launches: Launches, leaves: bool, windows: Windows
) -> Interruptible[FlowTicks]:
    """The ends in the windows of launches that no flow of the file tells, at the starts of their slices.

    `leaves`: the track launched the partners.
    """
    launches = launches.take(launches.way == LaunchWay.CORRELATION)
    tick = yield from slice_ticks(reader, track, launches.ordinal)
    is_here = windows.hold(tick)
    launches, tick = launches.take(is_here), tick[is_here]
    partner_tick = (yield from launch_starts(reader, launches)) if leaves else np.zeros(len(launches), np.int64)
    incoming = np.full(len(tick), int(not leaves))
    return FlowTicks(tick, incoming, launches.partner_track, partner_tick, np.ones(len(tick), np.int64))


def _of_chunk(track: int, ends: FlowTicks) -> TrackFlows:
    here = np.full(len(ends.tick), track)
    leaves = ends.incoming == 0
    delay = np.where(leaves, ends.partner_tick - ends.tick, 0)
    return _sums(
        [
            TrackFlows(
                np.where(leaves, here, ends.partner_track),
                np.where(leaves, ends.partner_track, here),
                leaves.astype(np.int64),
                1 - leaves.astype(np.int64),
                (leaves & (ends.derived == 1)).astype(np.int64),
                delay,
                np.where(leaves, delay, _FAR),
                np.where(leaves, delay, -_FAR),
            )
        ]
    )


def _sums(parts: Sequence[TrackFlows]) -> TrackFlows:
    """One row for each pair of tracks."""
    none = np.zeros(0, np.int64)
    columns = [np.concatenate([none, *(getattr(part, column) for part in parts)]) for column in TrackFlows.__slots__]
    rows = TrackFlows(*columns)
    rows = rows.take(np.lexsort((rows.target, rows.source)))
    if not len(rows):
        return rows
    first = np.flatnonzero(np.append(True, (np.diff(rows.source) != 0) | (np.diff(rows.target) != 0)))
    return TrackFlows(
        rows.source[first],
        rows.target[first],
        np.add.reduceat(rows.leaving, first),
        np.add.reduceat(rows.arriving, first),
        np.add.reduceat(rows.derived, first),
        np.add.reduceat(rows.delay, first),
        np.minimum.reduceat(rows.shortest, first),
        np.maximum.reduceat(rows.longest, first),
    )
