"""Performance counters of devices: events that carry a number under `counter_value`, by name, summed up exactly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final

import numpy as np

from tilescope.tiler.details.values import Values
from tilescope.tiler.errors import NotBuilt
from tilescope.tiler.facts.devices import plane_of
from tilescope.tiler.query import ArgumentReader, Interruptible, Reading
from tilescope.tiler.tools.answer import Column, Note, Table, Value
from tilescope.tiler.tools.question import Tracks
from tilescope.tiler.tools.question_windows import QuestionWindows
from tilescope.tiler.tools.scope import Scope

VALUE: Final = "counter_value"
_TEXTS: Final = ("performance_counter_description", "performance_counter_sets")
_NUMBER: Final = "performance_counter_id"

# That are told apart; and events that are looked at, some ten seconds' worth.
MAX_PERFORMANCE_COUNTERS: Final = 65_536
MAX_EVENTS: Final = 4_000_000


@dataclass(slots=True)
class _Counter:
    """One counter of one track. Sums are exact where values are whole."""

    track: int
    name: str
    number: str
    first: int  # ordinal
    n: int = 0
    total: int | float = 0
    least: int | float = 0
    greatest: int | float = 0
    last: int | float = 0
    description: str = ""
    sets: str = ""

    def add(self, value: int | float) -> None:
        self.least = value if self.n == 0 else min(self.least, value)
        self.greatest = value if self.n == 0 else max(self.greatest, value)
        self.total += value
        self.last = value
        self.n += 1


def performance_tracks(scope: Scope, tracks: Tracks | None) -> list[int]:
    """The tracks whose events may carry performance counters: those of planes that have such a stat."""
    reader = scope.reader
    planes: dict[int, frozenset[str]] = {}
    with_counters = []
    for track in scope.leaves(tracks):
        entry = reader.tree.tracks[track]
        if entry.events == 0:
            continue
        file = reader.file_of(track)
        if file not in planes:
            try:
                metadata = scope.event_metadata(track)
            except NotBuilt:
                metadata = None
            plane_stats = () if metadata is None else metadata.planes
            planes[file] = frozenset(plane.name for plane in plane_stats if plane.heads(VALUE))
        if planes[file] and plane_of(reader.tree.groups[entry.group]) in planes[file]:
            with_counters.append(track)
    return with_counters


def performance_table(
    scope: Scope, question_windows: QuestionWindows, tracks: list[int], limit: int
) -> Interruptible[tuple[Table, list[Note]]]:
    """Table of these tracks' performance counters, over the events that start in the windows, and notes."""
    counters: dict[tuple[int, str, str], _Counter] = {}
    notes: list[Note] = []
    seen = 0
    for track in tracks:
        if seen > MAX_EVENTS or len(counters) >= MAX_PERFORMANCE_COUNTERS:
            text = f"of more than {MAX_EVENTS:,} events, or {MAX_PERFORMANCE_COUNTERS:,} counters, the rest is left out"
            notes.append(Note("warning", f"performance counters {text}: choose fewer tracks or a shorter span"))
            break
        for samples in _samples(scope, question_windows, track):
            seen += len(samples)
            for name, number, ordinal, value, texts in samples:
                key = (track, name, number)
                if key not in counters:
                    if len(counters) >= MAX_PERFORMANCE_COUNTERS:
                        continue
                    counters[key] = _Counter(track, name, number, ordinal, description=texts[0], sets=texts[1])
                counters[key].add(value)
            yield
    listed = list(counters.values())[:limit]

    def numbers(name: str, title: str, total: Any = "none") -> Column:
        values: list[Value] = [_finite(getattr(row, name)) for row in listed]
        return Column(name, title, "number", values, total=total)

    whole = all(isinstance(row.total, int) for row in listed)
    total: list[Value] = [row.total if whole else _finite(row.total) for row in listed]
    columns = [
        Column("counter", "Counter", "name", [row.name for row in listed]),
        Column("track", "Track", "track", [row.track for row in listed]),
        Column("n", "Samples", "count", [row.n for row in listed]),
        Column("total", "Sum", "count" if whole else "number", total, total="none"),
        numbers("least", "Least"),
        numbers("greatest", "Greatest"),
        numbers("last", "Last"),
        Column("set", "Set", "text", [row.sets or None for row in listed]),
        Column("description", "Description", "text", [row.description or None for row in listed]),
        Column("number", "Number", "text", [row.number or None for row in listed]),
        Column("event", "Event", "event", [f"{row.track}.{row.first}" for row in listed]),
    ]
    return Table("performance", "Performance counters", columns), notes


_Sample = tuple[str, str, int, int | float, tuple[str, str]]


def _samples(scope: Scope, question_windows: QuestionWindows, track: int) -> Iterator[list[_Sample]]:
    """Name, number, ordinal, value and texts of the events of a track that start in its windows and have a value."""
    reader = scope.reader
    windows = question_windows.on_track(track)
    plan = reader.plan(track, windows)
    arguments = ArgumentReader(reader.store)
    for events in Reading(reader).events(plan, plan.leaf_runs):
        here = events.take(windows.hold(events.start))
        here = here.take(np.argsort(here.ordinal, kind="stable"))
        for batch in arguments.values(track, here.ordinal, (VALUE, _NUMBER, *_TEXTS)):
            values, numbers, *texts = batch.values
            samples: list[_Sample] = []
            for row in range(len(values)):
                value = values.value(row)
                if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
                    continue
                position = batch.which.start + row
                name = reader.names[int(here.name[position])].text
                number = numbers.value(row)
                words = (_text(texts[0], row), _text(texts[1], row))
                samples.append((name, "" if number is None else str(number), int(here.ordinal[position]), value, words))
            yield samples


def _finite(value: int | float) -> float | None:
    """As a double; None for a sum that none holds."""
    return float(value) if isfinite(value) else None


def _text(values: Values, row: int) -> str:
    value = values.value(row)
    return value if isinstance(value, str) else ""
