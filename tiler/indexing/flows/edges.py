"""Flow ends with the slices that they belong to, and the edges between them as each of their tracks stores them.

There may be many millions on one track: columns are made part by part, and lie in scratch files beyond the budget.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler.indexing.flows.binding import bind
from tilescope.tiler.indexing.reading.flow_rows import FlowRows
from tilescope.tiler.indexing.scratch import Scratch
from tilescope.tiler.indexing.tracks.track_data import TrackData
from tilescope.tiler.records.flow_ends import FlowEnds

Ints = NDArray[np.int64]
Positions = NDArray[np.uint32]

_INT64 = np.dtype(np.int64)


class FlowPart(Struct, frozen=True):
    """Flow ends, columns of shape (n,)."""

    phase: NDArray[np.uint8]
    tick: Ints
    key: Ints
    track: NDArray[np.int32]  # its place in the layout, -1: none
    ordinal: Ints  # of the slice it belongs to, -1: none
    start: Ints  # of that slice
    name: NDArray[np.int32]  # of that slice

    @classmethod
    def from_rows(cls, rows: FlowRows, place: int, slices: TrackData | None, scratch: Scratch) -> FlowPart:
        """The ends of one track, bound."""
        n = len(rows)
        ordinal = bind(rows, slices, scratch)

        def start(part: slice) -> Ints:
            if slices is None:
                return np.zeros(part.stop - part.start, np.int64)
            return np.where(ordinal[part] >= 0, slices.start[np.maximum(ordinal[part], 0)], 0)

        def name(part: slice) -> NDArray[np.int32]:
            if slices is None:
                return np.full(part.stop - part.start, -1, np.int32)
            return np.where(ordinal[part] >= 0, slices.name[np.maximum(ordinal[part], 0)], np.int32(-1))

        track = np.dtype(np.int32)
        return cls(
            scratch.keep(rows.phase),
            scratch.keep(rows.tick),
            scratch.keep(rows.key),
            scratch.fill(n, track, lambda part: np.full(part.stop - part.start, place, np.int32)),
            scratch.keep(ordinal),
            scratch.fill(n, _INT64, start),
            scratch.fill(n, np.dtype(np.int32), name),
        )

    @classmethod
    def none(cls) -> FlowPart:
        """No ends."""
        none, number = np.zeros(0, np.int64), np.zeros(0, np.int32)
        return cls(np.zeros(0, np.uint8), none, none, number, none, none, number)

    @classmethod
    def join(cls, parts: list[FlowPart], scratch: Scratch) -> FlowPart:
        """All parts, one after the other; the list is emptied. One that has all ends is not copied."""
        parts[:] = [part for part in parts if len(part.phase)] or parts[:1]
        if len(parts) == 1:
            return parts.pop()
        rows = sum(len(part.phase) for part in parts)
        columns: list[list[NDArray[Any]]] = [[getattr(part, name) for part in parts] for name in cls.__struct_fields__]
        parts.clear()
        joined: list[NDArray[Any]] = []
        for column in columns:
            joined.append(scratch.empty(rows, column[0].dtype))
            np.concatenate(column, out=joined[-1])
            column.clear()  # there may be no memory for all of them twice
        return cls(*joined)


class FlowEdges(Struct, frozen=True):
    """Edges, each of which has two ends: number k of n leaves its slice, and the same number plus n arrives."""

    ends: FlowPart
    position: Positions  # (2n,) in `ends`

    @classmethod
    def between(cls, ends: FlowPart, source: Positions, target: Positions, scratch: Scratch) -> FlowEdges:
        """Edges from and to these positions."""
        position = cast(Positions, scratch.empty(len(source) + len(target), np.uint32))
        position[: len(source)] = source
        position[len(source) :] = target
        return cls(ends, position)

    def by_track(self, scratch: Scratch) -> Iterator[tuple[int, Ints]]:
        """The numbers of each track's ends of edges."""
        if not len(self.position):
            return
        tracks = scratch.pick(self.ends.track, self.position)
        stops = np.cumsum(np.bincount(tracks))
        # Numbers of 16 bits are counted, wider ones compared: 1.3 million ends take 12 ms, and would take 64.
        narrow = tracks.astype(np.uint16) if len(stops) <= 1 << 16 else tracks
        order = scratch.keep(np.argsort(narrow, kind="stable"))
        del tracks, narrow
        for track in np.flatnonzero(np.diff(stops, prepend=0)).tolist():
            yield track, order[int(stops[track - 1]) if track else 0 : int(stops[track])]

    def stored(self, tracks: Sequence[tuple[int, Ints]], scratch: Scratch) -> Iterator[tuple[int, FlowEnds]]:
        """Each of these tracks, given with the numbers of its flow ends, and these ends in stored order.

        All of them are put in order together: of thousands of tracks most have a few ends.
        """
        numbers = tracks[0][1] if len(tracks) == 1 else np.concatenate([end_numbers for _, end_numbers in tracks])
        whole = self._stored(self._in_order(numbers, len(tracks) > 1, scratch), scratch)
        stop = 0
        for track, end_numbers in tracks:
            start, stop = stop, stop + len(end_numbers)
            yield track, whole.take(slice(start, stop))

    def _in_order(self, number: Ints, by_track: bool, scratch: Scratch) -> Ints:
        """These ends in the order (ordinal, leaving before arriving, tick), those of several tracks by track."""
        n, ends = len(self.position) // 2, self.ends
        own = scratch.pick(self.position, number)
        tick = scratch.pick(ends.tick, own)
        place = scratch.fill(len(own), _INT64, lambda part: ends.ordinal[own[part]] << 1 | (number[part] >= n))
        keys: list[NDArray[Any]] = [tick, place]
        if by_track:
            keys.append(scratch.pick(ends.track, own))
        return scratch.pick(number, np.lexsort(keys))

    def _stored(self, number: Ints, scratch: Scratch) -> FlowEnds:
        n, ends = len(self.position) // 2, self.ends
        own = scratch.pick(self.position, number)
        partner = scratch.fill(
            len(number), np.dtype(np.uint32), lambda part: self.position[(number[part] + n) % (2 * n)]
        )
        return FlowEnds(
            scratch.pick(ends.ordinal, own),
            scratch.fill(len(number), _INT64, lambda part: (number[part] >= n).astype(np.int64)),
            scratch.pick(ends.tick, own),
            scratch.fill(len(number), _INT64, lambda part: ends.track[partner[part]].astype(np.int64)),
            scratch.pick(ends.ordinal, partner),
            scratch.pick(ends.tick, partner),
            scratch.pick(ends.start, partner),
            scratch.fill(len(number), _INT64, lambda part: ends.name[partner[part]].astype(np.int64)),
        )
