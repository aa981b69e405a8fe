"""Preview of a run while it is indexed: its tracks, and roughly when they are busy.

Written into the generation that is being built, from which the server reads. Blocks follow one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from msgspec import Struct, structs

from tilescope.tiler.columns import EventCounts
from tilescope.tiler.indexing.meter import Meter
from tilescope.tiler.indexing.output.manifest import ManifestParts
from tilescope.tiler.indexing.output.tables import name_entries, tree_entries
from tilescope.tiler.indexing.reading.names import RunNames
from tilescope.tiler.indexing.reading.snapshot import FileSnapshot
from tilescope.tiler.indexing.reading.timeline import FileTimes, Timeline
from tilescope.tiler.indexing.tracks.layout import Layout, lay_out
from tilescope.tiler.indexing.tracks.overview import Load, Overview
from tilescope.tiler.indexing.tracks.track_facts import TrackFacts
from tilescope.tiler.readers.fingerprint import Fingerprint
from tilescope.tiler.records.overview import OVERVIEW
from tilescope.tiler.store.generation import Generation


class _File(Struct, frozen=True):
    path: Path
    size_bytes: int
    snapshot: FileSnapshot


class Preview:
    """Writes what is known so far, each time as a new revision."""

    def __init__(
        self, generation: Generation, files: Sequence[Path], sources: Sequence[Fingerprint], meter: Meter
    ) -> None:
        self._generation = generation
        self._files = files
        self._sources = sources
        self._meter = meter
        self._overview_pages = 0

    def show(self, snapshots: Sequence[FileSnapshot | None]) -> None:
        """Shows files that are still being read: tracks may yet be added, and move. None: nothing of it is read yet."""
        files = self._present([snapshot and _counted(snapshot) for snapshot in snapshots])
        timeline = Timeline.from_files(
            FileTimes(
                file.snapshot.span,
                file.snapshot.summary.base_time_ns,
                file.snapshot.census.__iter__,
                file.snapshot.census.flow_span(),
            )
            for file in files
        )
        layout = lay_out(
            [file.snapshot.summary for file in files],
            lambda file, track: files[file].snapshot.rows[track],
            [file.path for file in files],
        )
        self._write(files, timeline, layout, None)

    def show_all(
        self, snapshots: Sequence[FileSnapshot | None], timeline: Timeline, layout: Layout, names: RunNames
    ) -> None:
        """Shows files that have been read: this is how tracks will stand, and names be called.

        None: a file that is left out. The layout has the others.
        """
        self._write(self._present(snapshots), timeline, layout, names)

    def _present(self, snapshots: Sequence[FileSnapshot | None]) -> list[_File]:
        return [
            _File(path, source.size_bytes, snapshot)
            for path, source, snapshot in zip(self._files, self._sources, snapshots, strict=True)
            if snapshot is not None
        ]

    def stale_pages(self, pages: int) -> range:
        """Pages of the overview that were written, when the final one has so many."""
        return range(pages, self._overview_pages)

    def _write(self, files: Sequence[_File], timeline: Timeline, layout: Layout, names: RunNames | None) -> None:
        meter, data = self._meter, self._generation.data
        meter.revision += 1
        meter.tracks = len(layout.tracks)
        parts = ManifestParts(
            self._generation.build,
            self._sources,
            [(file.path, file.size_bytes, file.snapshot.summary) for file in files],
            timeline,
            layout,
            {track.id: TrackFacts(events=track.weight) for track in layout.tracks},
            len(names) if names is not None else 0,
            meter.revision,
        )
        overview = Overview(timeline.end)
        loads: dict[int, Load] = {}
        for track in layout.tracks:  # rollups come last
            if not track.children:
                snapshot = files[track.file].snapshot
                activity = snapshot.activities.get(track.source)
                if activity is not None:
                    loads[track.id] = Load.from_activity(
                        activity, timeline, snapshot.summary.base_time_ns, overview.grid
                    )
            own = [loads[child] for child in track.children or (track.id,) if child in loads]
            overview.add_activity(track.id, own)
        entries = list(overview.entries())
        stale, self._overview_pages = self.stale_pages(overview.grid.pages), overview.grid.pages
        if names is not None:
            entries += name_entries(names)
        entries += tree_entries(parts)
        data.put_many(entries)
        data.remove(OVERVIEW.key(page) for page in stale)
        meter.tell(now=True)


def _counted(snapshot: FileSnapshot) -> FileSnapshot:
    """With the number of rows so far as the number of events: what they are is counted when all have been read."""
    counts = EventCounts(total=sum(snapshot.rows))
    return structs.replace(snapshot, summary=replace(snapshot.summary, counts=counts))
