"""Recorders of edges: each makes a kind of record from the edges of a track."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar, Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler.device_lines import is_device_process
from tilescope.tiler.errors import TooMany
from tilescope.tiler.indexing.flows.bins import EndsByTick, flow_tiles
from tilescope.tiler.indexing.flows.correlation import TrackPairs
from tilescope.tiler.indexing.flows.launch_places import PlacesByTrack
from tilescope.tiler.indexing.tracks.layout import Layout
from tilescope.tiler.indexing.tracks.recorder import Recording
from tilescope.tiler.pages import compress, compress_container
from tilescope.tiler.records.flow_bins import FLOW_TILES
from tilescope.tiler.records.flow_ends import FLOW_ENDS, MOST_ENDS_OF_A_SLICE, FlowEnds
from tilescope.tiler.records.launch_places import LAUNCH_PLACES
from tilescope.tiler.records.launches import LAUNCHES, StoredLaunches, launch_chunks, merged_chunks
from tilescope.tiler.records.record import Record
from tilescope.tiler.store.store import Entry


class TrackEdges(Struct, frozen=True):
    """Edges that begin or end at slices of one track."""

    track: int
    ends: FlowEnds  # of the file's flows, in stored order
    pairs: TrackPairs | None  # by correlation; None: there are none


class EdgeRecorder(ABC):
    """Makes records. Called by any thread, once for each track at whose slices edges begin or end."""

    records: ClassVar[tuple[Record, ...]]

    def __init__(self, recording: Recording) -> None:
        self.recording = recording

    @abstractmethod
    def entries(self, file: Path, edges: TrackEdges) -> Iterator[Entry]:
        """The records of a track."""

    def last(self) -> Iterator[Entry]:
        """Records of the run, when those of all tracks are made."""
        return iter(())


class FlowEndRecorder(EdgeRecorder):
    """Flow ends themselves."""

    records: ClassVar[tuple[Record, ...]] = (FLOW_ENDS,)

    def entries(self, file: Path, edges: TrackEdges) -> Iterator[Entry]:
        """Chunks of flow ends. Raises TooMany."""
        for chunk in edges.ends.chunks():
            if len(chunk) > MOST_ENDS_OF_A_SLICE:
                what = f"has {len(chunk):,} flow ends of one slice; {MOST_ENDS_OF_A_SLICE:,} are kept at most"
                raise TooMany(file, what)
            yield FLOW_ENDS.key(edges.track, int(chunk.ordinal[0])), compress(chunk.encode(edges.track))


class FlowTileRecorder(EdgeRecorder):
    """Flow ends, added up in bins."""

    records: ClassVar[tuple[Record, ...]] = (FLOW_TILES,)

    def entries(self, file: Path, edges: TrackEdges) -> Iterator[Entry]:
        """Chunks of flow tiles, level by level."""
        track, working = edges.track, self.recording.working
        ends = EndsByTick.from_track(edges.ends, edges.pairs, working)
        for level in flow_tiles(ends, self.recording.root_level):
            for tiles in level.chunks():
                yield FLOW_TILES.key(track, level.level, int(tiles.index[0])), compress_container(tiles.encode(track))


class LaunchRecorder(EdgeRecorder):
    """Edges between hosts and devices, with the work on the device; and where those of a host stand."""

    records: ClassVar[tuple[Record, ...]] = (LAUNCHES, LAUNCH_PLACES)

    def __init__(self, recording: Recording) -> None:
        super().__init__(recording)
        self._is_on_device = are_on_devices(recording.layout)
        self._places = PlacesByTrack()

    def entries(self, file: Path, edges: TrackEdges) -> Iterator[Entry]:
        """Chunks of launches of the track's slices."""
        for chunk in self._chunks(edges):
            self._places.add(edges.track, chunk)
            yield LAUNCHES.key(edges.track, chunk.event), compress_container(chunk.data)

    def last(self) -> Iterator[Entry]:
        """The places of all chunks."""
        for track, places in self._places.by_track():
            yield LAUNCH_PLACES.key(track), compress(places.encode(track))

    def _chunks(self, edges: TrackEdges) -> Iterator[StoredLaunches]:
        has_flows = bool(self._is_on_device[edges.track]) and len(edges.ends) > 0
        if edges.pairs is not None and not has_flows:
            return edges.pairs.stored()
        chunks = launch_chunks(edges.ends, self._is_on_device) if has_flows else iter(())
        if edges.pairs is not None:
            chunks = merged_chunks(chunks, edges.pairs.chunks())
        return (chunk.stored(edges.track) for chunk in chunks)


def are_on_devices(layout: Layout) -> NDArray[np.bool_]:
    """True for each track of a process that is a device."""
    is_device = [is_device_process(group.name, group.detail) for group in layout.groups]
    return np.array([is_device[track.group] for track in layout.tracks], np.bool_)


EDGE_RECORDERS: Final[tuple[type[EdgeRecorder], ...]] = (FlowEndRecorder, FlowTileRecorder, LaunchRecorder)
"""In the order of `records/catalogue.py`."""
