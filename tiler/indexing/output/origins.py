"""Writes where the tracks of trace-event files come from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tilescope.tiler.columns import TraceSummary
from tilescope.tiler.indexing.tracks.layout import Layout
from tilescope.tiler.pages import compress
from tilescope.tiler.records.origins import ORIGINS, Carrier, FileOrigin, Origins
from tilescope.tiler.store.store import Entry


def origin_entries(summaries: Sequence[TraceSummary], layout: Layout, carriers: list[Carrier]) -> Iterator[Entry]:
    """The one record. `summaries` are those of the files."""
    tracks = [None if track.file < 0 else summaries[track.file].tracks[track.source].origin for track in layout.tracks]
    files = [
        FileOrigin(summary.base_time_ns, summary.labels)
        if any(track.origin is not None for track in summary.tracks) or summary.labels
        else None
        for summary in summaries
    ]
    yield ORIGINS.key(), compress(Origins(files, tracks, carriers).encode())
