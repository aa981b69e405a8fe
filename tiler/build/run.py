"""What the files of a run have in common: time axis, names, and what was odd about their events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.build.flow_rows import FlowRows, flow_rows
from tilescope.tiler.build.gather import TrackEvents
from tilescope.tiler.build.names import RunNames
from tilescope.tiler.build.read import TraceFile
from tilescope.tiler.build.scratch import Scratch
from tilescope.tiler.build.timeline import Timeline
from tilescope.tiler.build.track_data import Malformed, TimedEvents, TrackData, make_samples, make_slices
from tilescope.tiler.columns import TrackKind


class Run:
    """Files that are shown together on one time axis."""

    def __init__(self, files: Sequence[TraceFile], scratch: Scratch) -> None:
        self.files = files
        self.scratch = scratch
        self.timeline = Timeline.of((file.gathered.span, file.summary.base_time_ns) for file in files)
        self.names = RunNames()
        self._name_ids = [self.names.add(file.summary.names, file.summary.categories) for file in files]
        self._malformed: list[Malformed] = []
        self._flows: list[dict[int, FlowRows]] = [{} for _ in files]

    @property
    def events(self) -> int:
        """Events that were read, without flow ends."""
        return sum(file.gathered.events for file in self.files)

    def all_data(self, executor: Executor) -> dict[tuple[int, int], TrackData | None]:
        """The events of all tracks, by (file, track). They are forgotten in the files."""
        tracks = [(file, track) for file, trace in enumerate(self.files) for track in range(len(trace.summary.tracks))]
        return dict(zip(tracks, executor.map(lambda key: self.data_of(*key), tracks), strict=True))

    def data_of(self, file: int, track: int) -> TrackData | None:
        """The events of a track, which are forgotten in the file."""
        trace = self.files[file]
        events = trace.gathered.take(track)
        if events is None:
            return None
        timed = self._timed(events, trace.summary.base_time_ns, self._name_ids[file])
        kind = trace.summary.tracks[track].kind
        if kind == TrackKind.COUNTER:
            return make_samples(timed, self.scratch)
        if kind == TrackKind.FLOW:
            self._keep_flows(file, track, flow_rows(events, timed.start, None, self.scratch))
            return None
        made = make_slices(timed, self.timeline.end, self.scratch)
        self._keep_flows(file, track, made.flows)
        data, malformed = made.data, made.malformed
        if kind == TrackKind.ASYNC:
            malformed = replace(malformed, overlaps=0)  # they need not nest
        self._malformed.append(malformed)
        return data if len(data) else None

    def take_flows(self, file: int) -> dict[int, FlowRows]:
        """The flow ends of a file's tracks whose events have been asked for. They are forgotten here."""
        flows, self._flows[file] = self._flows[file], {}
        return flows

    def _keep_flows(self, file: int, track: int, rows: FlowRows | None) -> None:
        if rows is not None:
            self._flows[file][track] = rows

    def _timed(self, events: TrackEvents, base_ns: int, names: NDArray[np.int32]) -> TimedEvents:
        int64, n = np.dtype(np.int64), len(events)
        time_ps, duration_ps = events.time_ps, events.duration_ps

        def of(column: NDArray[np.int16] | None, part: slice) -> NDArray[np.int16] | None:
            return None if column is None else column[part]

        return TimedEvents(
            events,
            self.scratch.fill(n, int64, lambda p: self.timeline.ticks(events.time_ns[p], of(time_ps, p), base_ns)),
            self.scratch.fill(
                n,
                int64,
                lambda p: self.timeline.durations(of(time_ps, p), events.duration_ns[p], of(duration_ps, p)),
            ),
            self.scratch.fill(n, np.dtype(np.int32), lambda p: names[events.name[p]]),
        )

    def ignored(self) -> dict[str, int]:
        """What was left out, by reason."""
        total: Counter[str] = Counter()
        for file in self.files:
            total.update(file.summary.ignored)
        total["end_without_begin"] += sum(m.ends_without_begin for m in self._malformed)
        return {reason: count for reason, count in sorted(total.items()) if count}

    def warnings(self) -> list[str]:
        """What a person should know of the files, a line each."""
        lines = [
            f"{file.path.name}: {warning}" if len(self.files) > 1 else warning
            for file in self.files
            for warning in file.summary.warnings
        ]
        for count, one, many in (
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
        ):
            if count:
                lines.append(f"{count:,} {one if count == 1 else many}")
        if self.timeline.rounds:
            lines.append("the trace is too long for picoseconds: times are rounded down to nanoseconds")
        return lines
