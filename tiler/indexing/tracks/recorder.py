"""The base of recorders: whatever makes records of a kind while a run is built, or what the manifest says of it.

The building itself knows blocks, tiles and the schedule. It passes each track to all recorders of `recorders.py`, and
knows none of them by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import ClassVar

from msgspec import Struct

from tilescope.tiler import _native
from tilescope.tiler.indexing.reading.correlations import SliceCorrelations
from tilescope.tiler.indexing.reading.flow_rows import FlowRows
from tilescope.tiler.indexing.reading.timed import TimedEvents
from tilescope.tiler.indexing.scratch import Scratch
from tilescope.tiler.indexing.tracks.decoding_tables import DecodingTables
from tilescope.tiler.indexing.tracks.findings import Findings
from tilescope.tiler.indexing.tracks.layout import Layout, PlacedTrack
from tilescope.tiler.indexing.tracks.run_files import RunFiles
from tilescope.tiler.indexing.tracks.track_data import TrackData
from tilescope.tiler.indexing.tracks.track_facts import TrackFacts
from tilescope.tiler.records.overview import OverviewGrid
from tilescope.tiler.records.record import Record
from tilescope.tiler.store.store import Entry

Part = Callable[[], Iterator[Entry]]


class Recording(Struct, frozen=True):
    """A run that is recorded: what recorders are made from."""

    run: RunFiles
    layout: Layout
    tables: DecodingTables
    kept: Scratch  # for what is needed until the end
    working: Scratch  # for what is needed for a while
    root_level: int
    grid: OverviewGrid
    has_preview: bool = False  # the run has been shown: its names are stored
    most_flow_ends: int = 1 << 62  # of a file, that there is room for to join them


class BuiltTrack(Struct, frozen=True):
    """A track that has events."""

    place: PlacedTrack
    data: TrackData
    facts: TrackFacts
    correlations: SliceCorrelations | None = None  # of its slices


class TrackEnds(Struct, frozen=True):
    """Flow ends of a track: those that stand among its events, or those of a carrier of a thread's."""

    file: int
    number: int  # of the track in the file that has them
    rows: FlowRows
    track: int  # whose slices they belong to, -1: there is none
    slices: TrackData | None  # of that track
    carried: TimedEvents | None = None  # all that a carrier has of them


class RecordMaker:
    """Makes records of some kinds. Methods may be called by any thread; each does nothing where it is not needed.

    All of a track comes in one thread: its flow ends, its events, its tiles. What is returned is written at once.
    """

    records: ClassVar[tuple[Record, ...]] = ()
    """The kinds that it makes."""

    def __init__(self, recording: Recording) -> None:
        """One for each run."""

    def beside(self) -> Iterable[Entry]:
        """Records that need no track: they are written while tracks are built."""
        return ()

    def add_ends(self, ends: TrackEnds) -> Iterable[Entry]:
        """Takes flow ends. The last come when all tracks are built."""
        return ()

    def add(self, track: BuiltTrack) -> Iterable[Entry]:
        """Takes the events of a track, while their arguments are at hand."""
        return ()

    def add_tiles(self, track: BuiltTrack, tiles: _native.Tiles) -> None:
        """Takes the tiles of a track. The arguments of its events are gone."""

    def add_rollup(self, rollup: PlacedTrack, tiles: _native.Tiles, lanes: int) -> None:
        """Takes the tiles of a rollup; its tracks have so many rows together."""

    def end(self) -> Iterator[list[Part]]:
        """Parts to be written when all tracks are built, but for rollups. Threads share those of a list."""
        return iter(())

    def late(self) -> Iterable[Entry]:
        """Records that nobody reads before all is there: written by threads that else wait for the last rollup."""
        return ()

    def last(self) -> Iterable[Entry]:
        """Records of the run, when all tracks and rollups are built."""
        return ()

    def report(self, findings: Findings) -> None:
        """Adds what the manifest says, when all is written."""
