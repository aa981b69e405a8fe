"""Snapshot of a file while it is read, or before its tracks are built."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct, field

from tilescope.tiler.columns import Activity, Census, Span, TraceSummary

if TYPE_CHECKING:
    from tilescope.tiler.indexing.reading.file_events import FileEvents


class FileSnapshot(Struct, frozen=True):
    """Nothing in it changes any more."""

    summary: TraceSummary
    span: Span
    rows: tuple[int, ...]  # of each track, so far
    activities: Mapping[int, Activity]  # of the tracks that have any
    census: Census = field(default_factory=Census)  # while the file is being read

    @classmethod
    def take(cls, summary: TraceSummary, events: FileEvents, census: Census | None = None) -> FileSnapshot:
        """The present state. To be called by the thread that reads, or after reading."""
        tracks = range(len(summary.tracks))
        activities = ((track, events.activity_of(track)) for track in tracks)
        return cls(
            summary,
            events.span,
            tuple(events.rows_of(track) for track in tracks),
            {track: activity for track, activity in activities if activity is not None},
            Census() if census is None else census.copy(),
        )
