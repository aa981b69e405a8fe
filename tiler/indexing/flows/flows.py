"""The flows of a run: ends are bound to slices track by track, and joined file by file when all tracks are built."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from tilescope.tiler.errors import TooMany
from tilescope.tiler.indexing.flows.bins import flow_tiles
from tilescope.tiler.indexing.flows.correlation import CorrelatedSlices, derived_edges
from tilescope.tiler.indexing.flows.edges import FlowEdges, FlowPart
from tilescope.tiler.indexing.flows.join import join_flows
from tilescope.tiler.indexing.reading.flow_rows import FlowRows
from tilescope.tiler.indexing.scratch import Scratch, parts
from tilescope.tiler.indexing.tracks.track_data import TrackData
from tilescope.tiler.pages import compress
from tilescope.tiler.records.flow_bins import FLOW_TILES
from tilescope.tiler.records.flow_ends import FLOW_ENDS, MOST_ENDS_OF_A_SLICE
from tilescope.tiler.store.store import Entry

Ints = NDArray[np.int64]
Part = Callable[[], Iterator[Entry]]

# Tracks with fewer ends are looked at together: a part is worth a change of threads.
_ENDS_OF_A_PART = 1 << 15


class FlowCounts(Struct):
    """Numbers of flow ends by what became of them. `edges` is what is stored, once with each of the two slices."""

    edges: int = 0
    starts_without_end: int = 0
    ends_without_start: int = 0
    without_id: int = 0
    without_slice: int = 0  # edges of which an end lies where its thread has no slice
    derived: int = 0  # edges by correlation, which are stored, too
    ambiguous: int = 0  # slices of devices whose correlation several launches have


class Flows(Struct):
    """Takes flow ends from any thread. Flows do not cross from file to file: their keys are those of one file.

    `kept` holds the ends until all tracks are built, `working` what is made of them then.
    """

    files: Sequence[Path]
    kept: Scratch
    working: Scratch
    most_ends: int = 1 << 62  # of a file, that there is room for to join them
    counts: FlowCounts = field(default_factory=FlowCounts)  # complete after the last of the entries
    ends: dict[int, tuple[int, int]] = field(default_factory=dict)  # of each track: how many leave, how many arrive
    _parts: dict[int, dict[int, FlowPart]] = field(default_factory=dict)  # by file and number of the track in it
    _left_out: bool = False  # a file has too many slices to derive edges of
    _correlated: dict[int, dict[int, CorrelatedSlices]] = field(default_factory=dict)  # the same
    _adding: threading.Lock = field(default_factory=threading.Lock)

    def add(self, file: int, number: int, rows: FlowRows, place: int, slices: TrackData | None) -> None:
        """The flow ends of track `number` of a file; `slices` of the track at `place` are what they are bound to."""
        ends = FlowPart.from_rows(rows, place, slices, self.kept)
        with self._adding:
            self._parts.setdefault(file, {})[number] = ends

    def add_correlated(self, file: int, number: int, slices: CorrelatedSlices) -> None:
        """Takes the slices of track `number` of a file that have a correlation."""
        with self._adding:
            self._correlated.setdefault(file, {})[number] = slices

    def by_file(self, root_level: int) -> Iterator[list[Part]]:
        """Parts to be written, file by file: threads may share those of a file.

        They are chunks of flow ends and of flow tiles, each with its key. Each part may raise TooMany.
        """
        for file in sorted({*self._parts, *self._correlated}):
            parts_by_number = self._parts.pop(file, {})
            ends = FlowPart.join(
                [parts_by_number.pop(number) for number in sorted(parts_by_number)] or [FlowPart.none()], self.working
            )
            correlated = self._correlated.pop(file, {})
            edges = self._edges(ends, [correlated[number] for number in sorted(correlated)])
            parts: list[Part] = []
            chunk_tracks: list[tuple[int, Ints]] = []
            n = 0
            for track, numbers in edges.by_track(self.working):
                chunk_tracks.append((track, numbers))
                n += len(numbers)
                if n >= _ENDS_OF_A_PART:
                    parts.append(partial(self._entries, file, edges, chunk_tracks, root_level))
                    chunk_tracks, n = [], 0
            if chunk_tracks:
                parts.append(partial(self._entries, file, edges, chunk_tracks, root_level))
            yield parts

    def warnings(self) -> list[str]:
        """Warnings about the flows, a line each. After the last of the entries."""
        count, lines = self.counts.ambiguous, []
        if count:
            what = "1 event of a device has" if count == 1 else f"{count:,} events of devices have"
            lines.append(f"{what} a correlation that several launches have: no arrow says which of them")
        if self._left_out:
            lines.append("no room to join launches to what they launched by correlations: give more with --memory")
        return lines

    def _entries(
        self, file: int, edges: FlowEdges, tracks: Sequence[tuple[int, Ints]], root_level: int
    ) -> Iterator[Entry]:
        for track, stored in edges.stored(tracks, self.working):
            arriving = int(np.count_nonzero(stored.incoming))
            self.ends[track] = len(stored) - arriving, arriving
            for chunk in stored.chunks():
                if len(chunk) > MOST_ENDS_OF_A_SLICE:
                    what = f"has {len(chunk):,} flow ends of one slice; {MOST_ENDS_OF_A_SLICE:,} are kept at most"
                    raise TooMany(self.files[file], what)
                yield FLOW_ENDS.key(track, int(chunk.ordinal[0])), compress(chunk.encode(track))
            for level in flow_tiles(stored, root_level, self.working):
                for tiles in level.chunks():
                    yield FLOW_TILES.key(track, level.level, int(tiles.index[0])), compress(tiles.encode(track))

    def _edges(self, ends: FlowPart, correlated: Sequence[CorrelatedSlices]) -> FlowEdges:
        joined = join_flows(ends.phase, ends.tick, ends.key)
        bound = np.empty(len(joined), np.bool_)
        for part in parts(len(joined)):
            bound[part] = (ends.ordinal[joined.source[part]] >= 0) & (ends.ordinal[joined.target[part]] >= 0)
        counts = self.counts
        counts.edges += int(np.count_nonzero(bound))
        counts.without_slice += int(np.count_nonzero(~bound))
        counts.starts_without_end += joined.starts_without_end
        counts.ends_without_start += joined.ends_without_start
        counts.without_id += joined.without_id
        source, target = joined.source[bound], joined.target[bound]
        if not correlated:
            return FlowEdges.between(ends, source, target, self.working)
        derived = derived_edges(correlated, ends, (source, target), self.working, self.most_ends // 2)
        if derived is None:
            self._left_out = True
            return FlowEdges.between(ends, source, target, self.working)
        counts.derived += len(derived.source)
        counts.ambiguous += derived.ambiguous
        if not len(derived.source):
            return FlowEdges.between(ends, source, target, self.working)
        behind = np.uint32(len(ends.phase))
        source = np.concatenate([source, derived.source + behind])
        target = np.concatenate([target, derived.target + behind])
        ends = FlowPart.join([ends, derived.ends], self.working)
        return FlowEdges.between(ends, source, target, self.working, len(derived.source))
