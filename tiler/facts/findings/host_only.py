"""The finding about hosts without devices: what the threads that mark steps do most of their own time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tilescope.tiler.device_lines import STEP_TRACE
from tilescope.tiler.facts.findings.finding import Cause, Finding, Spot
from tilescope.tiler.facts.findings.host_kinds import HostKind, host_kinds
from tilescope.tiler.facts.findings.sentences import host_only_sentence
from tilescope.tiler.facts.findings.where import short
from tilescope.tiler.query import Interruptible, QueryReader, Reading
from tilescope.tiler.query.run_steps import RunSteps
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.windows import Windows, everywhere


def host_only(
    reader: QueryReader, steps: RunSteps, span: TickRange, *, has_devices: bool
) -> Interruptible[Finding | None]:
    """The finding about hosts without devices; none where no thread marks steps. Raises DamagedStore."""
    tree = reader.tree
    marking = {track for series in steps.series if not series.is_line for track in series.tracks}
    # A step trace is of a device, though none of its operators were recorded.
    tracks = sorted(track for track in marking if tree.groups[tree.tracks[track].group].name != STEP_TRACE)
    if not tracks:
        return None
    busy = yield from _busiest_name(reader, tracks, Windows.single(*span))
    name = "" if busy is None else short(reader.names[busy.name].text)
    share = 0.0 if busy is None else busy.share
    sentence = host_only_sentence(name, share, len(tracks), has_devices=has_devices)
    place = None if busy is None else (yield from _longest_of_name(reader, busy, _a_step(steps, busy.thread, span)))
    return Finding(Cause.HOST_ONLY, name, (), 0, 0.0, sentence, place)


def _a_step(steps: RunSteps, track: int, span: TickRange) -> TickRange:
    """The step in the middle of those that a thread marks in a span; the span where it marks none there."""
    rows = next(series.rows for series in steps.series if not series.is_line and track in series.tracks)
    which = np.flatnonzero((rows.track == track) & (rows.start >= span.start) & (rows.stop <= span.stop))
    if not len(which):
        return span
    middle = int(which[len(which) // 2])
    return TickRange(int(rows.start[middle]), int(rows.stop[middle]))


@dataclass(frozen=True, slots=True)
class _BusyName:
    """A name by its id, its share of the own time of some threads, and that of these on which it takes most."""

    name: int
    share: float
    thread: int


def _busiest_name(reader: QueryReader, tracks: Sequence[int], windows: Windows) -> Interruptible[_BusyName | None]:
    """The name of most own time on some threads; waits do not count. Raises DamagedStore."""
    kinds = yield from reader.names.page_numbers(host_kinds)
    ticks: defaultdict[int, defaultdict[int, int]] = defaultdict(lambda: defaultdict(int))  # by name and thread
    for track in tracks:
        for part in Reading(reader).histogram_parts([track], everywhere(windows)):
            which = np.flatnonzero((part.name >= 0) & (kinds[np.maximum(part.name, -1) + 1] != HostKind.SYNC))
            for name, total in zip(part.name[which].tolist(), part.self_busy[which].tolist(), strict=True):
                ticks[name][track] += int(total)
            yield
    if not ticks:
        return None
    totals = {name: sum(by_thread.values()) for name, by_thread in ticks.items()}
    name = max(totals, key=lambda name_id: (totals[name_id], -name_id))
    whole = sum(totals.values())
    thread = max(ticks[name], key=lambda track: (ticks[name][track], -track))
    return _BusyName(name, totals[name] / whole if whole else 0.0, thread)


def _longest_of_name(reader: QueryReader, busy: _BusyName, span: TickRange) -> Interruptible[Spot]:
    """A span with the longest slice of a name on its thread; with none where it has no such slice."""
    plan = reader.plan(busy.thread, Windows.single(*span))
    longest, ordinal = -1, None
    for events in Reading(reader).events(plan, plan.leaf_runs):
        events = events.take(events.name == busy.name)
        if len(events) and int(events.duration.max()) > longest:
            row = int(np.argmax(events.duration))
            longest, ordinal = int(events.duration[row]), int(events.ordinal[row])
        yield
    return Spot(busy.thread, *span, ordinal)
