"""The flows of a run: ends are bound to slices track by track, and joined file by file when all tracks are built."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.build.flow_binding import bind
from tilescope.tiler.build.flow_bins import flow_tiles
from tilescope.tiler.build.flow_join import join_flows
from tilescope.tiler.build.flow_rows import FlowRows
from tilescope.tiler.build.scratch import Scratch
from tilescope.tiler.build.track_data import TrackData
from tilescope.tiler.pages import compress
from tilescope.tiler.pages.flow_ends import FlowEnds
from tilescope.tiler.store import keys

Ints = NDArray[np.int64]


@dataclass(slots=True)
class FlowCounts:
    """What became of a run's flow ends. `edges` is what is stored, once with each of the two slices."""

    edges: int = 0
    starts_without_end: int = 0
    ends_without_start: int = 0
    without_id: int = 0
    without_slice: int = 0  # edges of which an end lies where its thread has no slice


@dataclass(slots=True)
class Flows:
    """Takes flow ends from any thread. Flows do not cross from file to file: their keys are those of one file."""

    scratch: Scratch
    counts: FlowCounts = field(default_factory=FlowCounts)  # complete after the last of the entries
    ends: dict[int, tuple[int, int]] = field(default_factory=dict)  # of each track: how many leave, how many arrive
    _parts: dict[int, dict[int, _Ends]] = field(default_factory=dict)  # by file and number of the track in it
    _adding: threading.Lock = field(default_factory=threading.Lock)

    def add(self, file: int, number: int, rows: FlowRows, place: int, slices: TrackData | None) -> None:
        """The flow ends of track `number` of a file; `slices` of the track at `place` are what they are bound to."""
        ends = _Ends.of(rows, place, slices, self.scratch)
        with self._adding:
            self._parts.setdefault(file, {})[number] = ends

    def entries(self, root_level: int) -> Iterator[tuple[bytes, bytes]]:
        """All chunks of flow ends and of flow tiles, each with its key."""
        for file in sorted(self._parts):
            parts = self._parts.pop(file)
            ends = _Ends.join([parts.pop(number) for number in sorted(parts)])
            for track, stored in self._edges(ends).by_track(self.scratch):
                arriving = int(np.count_nonzero(stored.incoming))
                self.ends[track] = len(stored) - arriving, arriving
                for chunk in stored.chunks():
                    yield keys.flow_ends(track, int(chunk.ordinal[0])), compress(chunk.encode(track))
                for level in flow_tiles(stored, root_level):
                    for tiles in level.chunks():
                        yield keys.flow_tiles(track, level.level, int(tiles.index[0])), compress(tiles.encode(track))

    def _edges(self, ends: _Ends) -> _Edges:
        joined = join_flows(ends.phase, ends.tick, ends.key)
        bound = (ends.ordinal[joined.source] >= 0) & (ends.ordinal[joined.target] >= 0)
        counts = self.counts
        counts.edges += int(np.count_nonzero(bound))
        counts.without_slice += int(np.count_nonzero(~bound))
        counts.starts_without_end += joined.starts_without_end
        counts.ends_without_start += joined.ends_without_start
        counts.without_id += joined.without_id
        return _Edges(ends, joined.source[bound], joined.target[bound])


@dataclass(frozen=True, slots=True)
class _Ends:
    """Flow ends, columns of shape (n,)."""

    phase: NDArray[np.uint8]
    tick: Ints
    key: Ints
    track: NDArray[np.int32]  # its place in the layout, -1: none
    ordinal: Ints  # of the slice it belongs to, -1: none
    start: Ints  # of that slice
    name: NDArray[np.int32]  # of that slice

    @classmethod
    def of(cls, rows: FlowRows, place: int, slices: TrackData | None, scratch: Scratch) -> _Ends:
        """The ends of one track, bound."""
        ordinal = bind(rows, slices)
        start, name = np.zeros(len(rows), np.int64), np.full(len(rows), -1, np.int32)
        if slices is not None:
            bound = ordinal >= 0
            start[bound], name[bound] = slices.start[ordinal[bound]], slices.name[ordinal[bound]]
        track = np.full(len(rows), place, np.int32)
        columns = (rows.phase, rows.tick, rows.key, track, ordinal, start, name)
        return cls(*map(scratch.keep, columns))  # type: ignore[arg-type] # each of its own type

    @classmethod
    def join(cls, parts: list[_Ends]) -> _Ends:
        """All parts, one after the other."""
        if len(parts) == 1:
            return parts[0]
        return cls(*(np.concatenate([getattr(part, column) for part in parts]) for column in cls.__slots__))


@dataclass(frozen=True, slots=True)
class _Edges:
    ends: _Ends
    source: Ints  # (n,) positions in `ends`
    target: Ints

    def by_track(self, scratch: Scratch) -> Iterator[tuple[int, FlowEnds]]:
        """Each track's ends of edges, in the order in which they are stored."""
        tracks = scratch.pick(self.ends.track, np.concatenate([self.source, self.target]))
        order = scratch.keep(np.argsort(tracks, kind="stable"))
        stops = np.cumsum(np.bincount(tracks))
        for track in np.flatnonzero(np.diff(stops, prepend=0)).tolist():
            yield track, self._stored(*self._in_order(order[int(stops[track - 1]) if track else 0 : int(stops[track])]))

    def _in_order(self, edge: Ints) -> tuple[Ints, Ints, Ints]:
        """Own end, direction and other end of these edges, those that arrive counted on from those that leave."""
        n = len(self.source)
        incoming = (edge >= n).astype(np.int64)
        edge = edge - n * incoming
        own = np.where(incoming, self.target[edge], self.source[edge])
        within = np.lexsort([self.ends.tick[own], (self.ends.ordinal[own] << 1) | incoming])
        own, incoming, edge = own[within], incoming[within], edge[within]
        return own, incoming, np.where(incoming, self.source[edge], self.target[edge])

    def _stored(self, own: Ints, incoming: Ints, partner: Ints) -> FlowEnds:
        ends = self.ends
        return FlowEnds(
            ends.ordinal[own],
            incoming,
            ends.tick[own],
            ends.track[partner].astype(np.int64),
            ends.ordinal[partner],
            ends.tick[partner],
            ends.start[partner],
            ends.name[partner].astype(np.int64),
        )
