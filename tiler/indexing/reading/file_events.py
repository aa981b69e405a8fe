"""The events of a file by track, whichever way its reader gives them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from msgspec import Struct, field

from tilescope.tiler import _native
from tilescope.tiler.columns import Activity, Census, Crowd, Span, TraceSummary
from tilescope.tiler.indexing.reading.timed import FileAxis, TimedEvents, timed_events
from tilescope.tiler.indexing.scratch import Scratch
from tilescope.tiler.readers.reader import SliceReader, TrackwiseReader


class FileEvents(Protocol):
    """Events of a file, track by track. Tracks may be taken by several threads, each track once."""

    events: int  # without flow ends

    # What unpacks the arguments of the events that `take` gives; None: they are as they were read.
    texts: _native.PackedTexts | None

    # Whether `take` gives a track more than once.
    gives_again: bool

    @property
    def span(self) -> Span: ...

    @property
    def flow_span(self) -> Span:
        """From when to when flow ends are that stand apart from slices."""

    def crowds(self) -> Iterable[Crowd]:
        """Times of the events, in crowds: needed if not all of them fit on one time axis."""

    def rows_of(self, track: int) -> int:
        """Number of events and flow ends that the file has for a track."""

    def activity_of(self, track: int) -> Activity | None:
        """Busy times of a track, roughly; None when it never is."""

    def take(self, track: int, axis: FileAxis, scratch: Scratch) -> TimedEvents | None:
        """The events of a track, which may be forgotten here; None when there are none."""


class TrackwiseEvents(Struct):
    """Events that stay in their file until a track is asked for. Once its reader has surveyed the file."""

    reader: TrackwiseReader
    span: Span = field(default_factory=Span)
    events: int = 0
    flow_ends: int = 0
    texts: _native.PackedTexts | None = None
    gives_again: bool = True  # it is read from the file each time
    _slices: SliceReader | None = None  # the reader, if it is one

    def __post_init__(self) -> None:
        self._slices = self.reader if isinstance(self.reader, SliceReader) else None
        for track in range(len(self.reader.summary().tracks)):
            self.span.join(self.reader.span_of(track))
            self.events += self.reader.events_of(track)
            self.flow_ends += self.reader.rows_of(track) - self.reader.events_of(track)

    @property
    def flow_span(self) -> Span:
        """None: flow ends are those of slices."""
        return Span()

    def crowds(self) -> Iterable[Crowd]:
        """Reads the tracks once more whose events are far from each other, and no others."""
        census = Census()
        for track in range(len(self.reader.summary().tracks)):
            if not census.add_span(self.reader.span_of(track), self.reader.events_of(track)):
                for chunk in self.reader.track_chunks(track):
                    census.add(chunk)
        return census

    def rows_of(self, track: int) -> int:
        return self.reader.rows_of(track)

    def activity_of(self, track: int) -> Activity | None:
        return self.reader.activity_of(track)

    def take(self, track: int, axis: FileAxis, scratch: Scratch) -> TimedEvents | None:
        rows = self.reader.rows_of(track)
        if rows and axis.timeline.window is None and self._slices is not None:
            scale = axis.timeline.scale(axis.base_ns)
            slices = self._slices.track_slices(track, scale, axis.names, scratch.empty)
            if slices is not None:
                return TimedEvents.of_slices(slices)
        return timed_events(self.reader.track_chunks(track), rows, axis, scratch) if rows else None


class TraceFile(Struct, frozen=True):
    """A file that has been read, or looked into if its tracks can be read one by one."""

    path: Path
    size_bytes: int
    events: FileEvents
    summary: TraceSummary
