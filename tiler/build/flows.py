"""The flows of a run: from the flow ends of its files to what is stored of them, file by file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.build.flow_binding import bind
from tilescope.tiler.build.flow_bins import flow_tiles
from tilescope.tiler.build.flow_join import join_flows
from tilescope.tiler.build.flow_rows import FlowRows
from tilescope.tiler.build.layout import Layout
from tilescope.tiler.build.run import Run
from tilescope.tiler.build.scratch import Scratch
from tilescope.tiler.build.track_data import TrackData
from tilescope.tiler.columns import Track, TrackKind
from tilescope.tiler.pages import compress
from tilescope.tiler.pages.flow_ends import FlowEnds
from tilescope.tiler.store import keys

Ints = NDArray[np.int64]
Data = Mapping[tuple[int, int], TrackData | None]


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
    """Flow ends of the tracks of a layout. Flows do not cross from file to file: their keys are those of one file."""

    run: Run
    data: Data
    layout: Layout
    counts: FlowCounts = field(default_factory=FlowCounts)  # complete after the last of the entries
    ends: dict[int, tuple[int, int]] = field(default_factory=dict)  # of each track: how many leave, how many arrive

    def entries(self) -> Iterator[tuple[bytes, bytes]]:
        """All chunks of flow ends and of flow tiles, each with its key."""
        root_level = _native.root_level(self.run.timeline.end)
        places = {id(track.data): track.id for track in self.layout.tracks if track.data is not None}
        for file, trace in enumerate(self.run.files):
            ends = _file_ends(file, trace.summary.tracks, self.run.take_flows(file), self.data, places)
            if ends is None:
                continue
            for track, stored in self._edges(ends).by_track(self.layout, self.run.scratch):
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
    """Flow ends of one file, columns of shape (n,)."""

    phase: NDArray[np.uint8]
    tick: Ints
    key: Ints
    track: NDArray[np.int32]  # its place in the layout, -1: none
    ordinal: Ints  # -1: no slice


@dataclass(frozen=True, slots=True)
class _Edges:
    ends: _Ends
    source: Ints  # (n,) positions in `ends`
    target: Ints

    def by_track(self, layout: Layout, scratch: Scratch) -> Iterator[tuple[int, FlowEnds]]:
        """Each track's ends of edges, in the order in which they are stored."""
        n = len(self.source)
        tracks = scratch.pick(self.ends.track, np.concatenate([self.source, self.target]))
        order = scratch.keep(np.argsort(tracks, kind="stable"))
        stops = np.cumsum(np.bincount(tracks, minlength=len(layout.tracks)))
        for track in np.flatnonzero(np.diff(stops, prepend=0)).tolist():
            edge = order[int(stops[track - 1]) if track else 0 : int(stops[track])]
            incoming = (edge >= n).astype(np.int64)
            edge = edge - n * incoming
            own = np.where(incoming, self.target[edge], self.source[edge])
            partner = np.where(incoming, self.source[edge], self.target[edge])
            within = np.lexsort([self.ends.tick[own], (self.ends.ordinal[own] << 1) | incoming])
            yield track, self._stored(own[within], incoming[within], partner[within], layout)

    def _stored(self, own: Ints, incoming: Ints, partner: Ints, layout: Layout) -> FlowEnds:
        ends = self.ends
        track, ordinal = ends.track[partner], ends.ordinal[partner]
        start, name = np.empty(len(own), np.int64), np.empty(len(own), np.int64)
        for number in np.unique(track).tolist():
            data = layout.tracks[number].data
            assert data is not None  # an end that is bound
            those = track == number
            start[those], name[those] = data.start[ordinal[those]], data.name[ordinal[those]]
        return FlowEnds(
            ends.ordinal[own],
            incoming,
            ends.tick[own],
            track.astype(np.int64),
            ordinal,
            ends.tick[partner],
            start,
            name,
        )


def _file_ends(
    file: int, tracks: list[Track], rows_of: Mapping[int, FlowRows], data: Data, places: Mapping[int, int]
) -> _Ends | None:
    """All flow ends of a file, bound to slices; None when there are none."""
    threads = {(t.process, t.name, t.detail): k for k, t in enumerate(tracks) if t.kind == TrackKind.SLICE}
    parts: list[_Ends] = []
    for number, rows in sorted(rows_of.items()):
        carrier = tracks[number]
        if rows.ordinal is None:
            number = threads.get((carrier.process, carrier.name, carrier.detail), -1)
        slices = data.get((file, number))
        place = -1 if slices is None else places[id(slices)]
        parts.append(_Ends(rows.phase, rows.tick, rows.key, np.full(len(rows), place, np.int32), bind(rows, slices)))
    if not parts:
        return None
    return _Ends(
        np.concatenate([p.phase for p in parts]),
        np.concatenate([p.tick for p in parts]),
        np.concatenate([p.key for p in parts]),
        np.concatenate([p.track for p in parts]),
        np.concatenate([p.ordinal for p in parts]),
    )
