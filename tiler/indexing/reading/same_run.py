"""Files on the clock of a device beside its timeline: whether they tell of the same run, to a nanosecond.

A step trace has the reductions of each step, by the names that communication has in the timeline; a timeline as text
has the operators. A step trace that does not fit is a table alone, and so is any text of a timeline that is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np
from msgspec import structs
from numpy.typing import NDArray

from tilescope.tiler.columns import EventCounts, Phase
from tilescope.tiler.indexing.reading.file_events import TraceFile
from tilescope.tiler.indexing.reading.gather import Gatherer
from tilescope.tiler.readers.left_out import NOT_DRAWN

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

STEP_TRACE: Final = "step_trace_raw"
TIMELINE_AS_TEXT: Final = "timeline_data"

_FAR_NS: Final = 1  # timelines say microseconds as floats, of which the last digit is a guess
_MOST: Final = 1 << 22  # slices of a file that are compared: 64 MiB
_MOST_TOGETHER: Final = 64  # that start together
_ANOTHER: Final = "it is of another run, or the counter is"


class SliceSpans(NamedTuple):
    """Slices in ns, by start."""

    start: Ints
    duration: Ints

    def near(self, other: SliceSpans) -> Mask:
        """True for slices of which another has start and duration."""
        is_near = np.zeros(len(self.start), np.bool_)
        for off in range(-_FAR_NS, _FAR_NS + 1):
            first, stop = (np.searchsorted(other.start, self.start + off, side) for side in ("left", "right"))
            for place in range(min(int((stop - first).max(initial=0)), _MOST_TOGETHER)):
                rows = np.flatnonzero(first + place < stop)
                apart = np.abs(other.duration[first[rows] + place] - self.duration[rows])
                is_near[rows] |= apart <= _FAR_NS
        return is_near


def family(file: TraceFile) -> str:
    """The family of the table that the slices of a file were made of; empty for a timeline."""
    return file.summary.tables[0].family if file.summary.tables else ""


def judged_steps(file: TraceFile, timeline: TraceFile) -> TraceFile:
    """A step trace beside the timeline of its device: without slices where it is of another run."""
    name = timeline.path.name
    common = set(file.summary.names) & set(timeline.summary.names)
    reductions, communication = (_spans(side, common) for side in (file, timeline))
    if reductions is None or communication is None:
        return with_note(file, f"too many slices to compare with {name}")
    if not len(communication.start):
        is_apart = _is_apart(file, timeline)
        return _as_table(file, f"it has no time in common with {name}: {_ANOTHER}") if is_apart else file
    count = len(communication.start)
    lost = count - int(np.count_nonzero(communication.near(reductions)))
    if not lost:
        return file
    what = f"{lost:,} of {count:,} communication events of {name} are not where it says"
    return _as_table(file, f"{what}: {_ANOTHER}") if 2 * lost > count else with_note(file, what)


def judged_samples(file: TraceFile, others: Sequence[TraceFile]) -> TraceFile:
    """Samples with time stamps: not drawn where no other file of the capture is of their time."""
    if not others or any(not _is_apart(file, other) for other in others):
        return file
    return _as_table(file, f"no event of {others[0].path.name} is of its time: it is of another clock, or run")


def judged_text(file: TraceFile, timeline: TraceFile) -> TraceFile:
    """A timeline as text beside that of JSON, which is drawn: compared with it, and a table alone."""
    name = timeline.path.name
    rows, slices = _spans(file, None), _spans(timeline, None)
    drawn = _as_table(file, "the timeline of the same device is drawn")
    if rows is None or slices is None:
        return with_note(drawn, f"too many slices to compare with {name}")
    lost, count = int(np.count_nonzero(~rows.near(slices))), len(rows.start)
    if not lost:
        return drawn
    return with_note(drawn, f"{lost:,} of {count:,} rows are not where {name} has them, at the counter of the device")


def _spans(file: TraceFile, names: set[str] | None) -> SliceSpans | None:
    """Slices of these names, or all of them; None: there are too many."""
    events, base_ns = file.events, file.summary.base_time_ns
    if not isinstance(events, Gatherer):
        return None
    is_chosen = np.array([names is None or name in names for name in file.summary.names] + [names is None], np.bool_)
    starts, durations, count = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], 0
    for track in range(len(file.summary.tracks)):
        for piece in events.pieces(track):
            rows = np.flatnonzero((piece.phase == Phase.COMPLETE) & is_chosen[piece.name])
            count += len(rows)
            if count > _MOST:
                return None
            starts.append(piece.time_ns[rows] + base_ns)
            durations.append(piece.duration_ns[rows])
    start, duration = np.concatenate(starts), np.concatenate(durations)
    order = np.argsort(start, kind="stable")
    return SliceSpans(start[order], duration[order])


def _is_apart(file: TraceFile, timeline: TraceFile) -> bool:
    (first, last), (begin, end) = _span(file), _span(timeline)
    return last < begin or end < first


def _span(file: TraceFile) -> tuple[int, int]:
    span, base_ns = file.events.span, file.summary.base_time_ns
    return (span.first_ns or 0) + base_ns, span.last_ns + base_ns


def _as_table(file: TraceFile, why: str) -> TraceFile:
    """The file without its slices."""
    summary = replace(file.summary, processes=[], tracks=[], names=[], categories=[], counts=EventCounts())
    return with_note(structs.replace(file, summary=summary, events=Gatherer()), NOT_DRAWN + why)


def with_note(file: TraceFile, note: str) -> TraceFile:
    """The file with one more warning."""
    warnings: Sequence[str] = file.summary.warnings
    return structs.replace(file, summary=replace(file.summary, warnings=[*warnings, note]))
