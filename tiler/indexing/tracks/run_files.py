"""Files of a run: their common time axis and names, and the oddities of their events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import msgspec
import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.columns import TraceSummary, TrackKind
from tilescope.tiler.indexing.reading.axis import RunAxis, file_times
from tilescope.tiler.indexing.reading.correlations import SliceCorrelations, stat_correlations
from tilescope.tiler.indexing.reading.excluded_events import REASON, ExcludedEvents, describe
from tilescope.tiler.indexing.reading.file_events import TraceFile
from tilescope.tiler.indexing.reading.flow_rows import FlowRows
from tilescope.tiler.indexing.reading.names import RunNames
from tilescope.tiler.indexing.reading.ranks import rank_warnings
from tilescope.tiler.indexing.reading.timed import FileAxis, TimedEvents
from tilescope.tiler.indexing.reading.timeline import Timeline
from tilescope.tiler.indexing.scratch import Scratch
from tilescope.tiler.indexing.tracks.track_data import Malformed, TrackData, make_samples, make_slices


class RunFiles:
    """Files that are shown together on one time axis."""

    def __init__(self, files: Sequence[TraceFile], left_out: Sequence[str] = (), axis: RunAxis | None = None) -> None:
        """`left_out`: a line for each file that could not be read. `axis`: of the run that they are a part of.

        Raises TraceError for a file that does not lie on the axis.
        """
        self.files = files
        self._left_out = left_out
        self._is_on_own_axis = axis is not None and axis.is_own
        self.timeline = axis.timeline_of(files) if axis else Timeline.from_files(map(file_times, files))
        self.names = axis.run_names() if axis else RunNames()
        self._axes = [
            FileAxis(
                self.timeline,
                file.summary.base_time_ns,
                self.names.add(file.summary.names, file.summary.categories),
            )
            for file in files
        ]
        if axis:
            axis.check(files, self.names)
        self._namesakes = self.names.namesakes()
        self._malformed: list[Malformed] = []
        self._excluded: list[tuple[int, int, ExcludedEvents]] = []  # file, track

    @property
    def events(self) -> int:
        """Events that were read, without flow ends."""
        return sum(file.events.events for file in self.files)

    def name_ids(self, file: int) -> NDArray[np.int32]:
        """The ids of a file's names in the run, shape (n + 1,): the last is -1, for events without a name."""
        return self._axes[file].names

    def take_track(
        self, file: int, track: int, scratch: Scratch, budget: _native.MemoryBudget | None = None
    ) -> tuple[TrackData | None, FlowRows | None, SliceCorrelations | None]:
        """The events of a track, the flow ends that stand among them, and what correlations its slices have.

        To be called once; from any thread.

        Raises MemoryError when more slices are open at once than `budget` has room for.
        """
        events = self._take(file, track, scratch)
        if events is None or not len(events):
            return None, None, None
        entry = self.files[file].summary.tracks[track]
        kind = entry.kind
        if kind == TrackKind.COUNTER:
            return make_samples(events, scratch), None, None
        by_key = kind == TrackKind.ASYNC
        made = make_slices(events, self.timeline.end, scratch, budget, self._namesakes, pairs_by_key=by_key)
        malformed = made.malformed
        if kind == TrackKind.ASYNC:
            # They need not nest.
            malformed = msgspec.structs.replace(malformed, overlaps=0)
        self._malformed.append(malformed)
        correlations, data = made.correlations, made.data
        if entry.correlation is not None and not events.has_correlation_keys:
            correlations = stat_correlations(data.args_end, data.args, entry.correlation, scratch)
        return (data if len(data) else None), made.flows, correlations

    def look_at(self, file: int, track: int, scratch: Scratch) -> TimedEvents | None:
        """The events of a track, in file order, whether it has been taken or not: for what else is made of them.

        None where there are none, or where the reader gives each track once.
        """
        events = self.files[file].events
        return events.take(track, self._axes[file], scratch) if events.gives_again else None

    def take_carrier(self, file: int, track: int, scratch: Scratch) -> TimedEvents | None:
        """The flow ends of a track that carries them for a thread."""
        return self._take(file, track, scratch)

    def _take(self, file: int, track: int, scratch: Scratch) -> TimedEvents | None:
        events = self.files[file].events.take(track, self._axes[file], scratch)
        if events is not None and events.excluded is not None:
            self._excluded.append((file, track, events.excluded))
        return events

    def summary_of(self, file: int) -> TraceSummary:
        """The summary of a file whose tracks have been taken: its counts are those of what is shown."""
        summary = self.files[file].summary
        counts = summary.counts
        for number, track, excluded in self._excluded:
            if number == file:
                counts = excluded.taken_from(counts, summary.tracks[track].kind)
        return replace(summary, counts=counts)

    def ignored(self) -> dict[str, int]:
        """Numbers of what was left out, by reason."""
        total: Counter[str] = Counter()
        for file in self.files:
            total.update(file.summary.ignored)
        total[REASON] += sum(excluded.events for _, _, excluded in self._excluded)
        total["end_without_begin"] += sum(m.ends_without_begin for m in self._malformed)
        return {reason: count for reason, count in sorted(total.items()) if count}

    def warnings(self) -> list[str]:
        """Warnings about the files, a line each."""
        lines = [*self._left_out, *rank_warnings(self.files)]
        several = len(self.files) + len(self._left_out) > 1
        lines += [
            f"{file.path.name}: {warning}" if several else warning
            for file in self.files
            for warning in file.summary.warnings
        ]
        for count, singular, many in (
            (
                sum(m.overlaps for m in self._malformed),
                "slice overlaps another one only partly: it is shown on an extra row",
                "slices overlap another one only partly: they are shown on extra rows",
            ),
            (
                sum(m.begins_without_end for m in self._malformed),
                "slice has no end: it ends with the slice around it, or with the trace",
                "slices have no end: they end with the slice around them, or with the trace",
            ),
            (
                sum(m.renamed for m in self._malformed),
                "slice ends under another name than it began with",
                "slices end under another name than they began with",
            ),
            (
                sum(m.recategorised for m in self._malformed),
                "slice ends under another category than it began with: it has that of its begin",
                "slices end under another category than they began with: they have that of their begin",
            ),
        ):
            if count:
                lines.append(f"{count:,} {singular if count == 1 else many}")
        if self.timeline.window is not None and any(excluded.events for _, _, excluded in self._excluded):
            in_order = sorted(self._excluded, key=_file_track)
            lines.append(
                describe(self.timeline.window, [(self.place(*place), excluded) for *place, excluded in in_order])
            )
        if self.timeline.rounds:
            why = "its run counts nanoseconds" if self._is_on_own_axis else "the trace is too long for picoseconds"
            lines.append(f"{why}: times are rounded down to nanoseconds")
        return lines

    def place(self, file: int, track: int) -> str:
        """A track's name with its process's, and its file's where there are several."""
        trace = self.files[file]
        entry = trace.summary.tracks[track]
        name = f"{trace.summary.processes[entry.process].name} / {entry.name}"
        return f"{trace.path.name}: {name}" if len(self.files) > 1 else name


def _file_track(entry: tuple[int, int, ExcludedEvents]) -> tuple[int, int]:
    return entry[0], entry[1]
