"""Profiles of Firefox (Gecko), processed by its profiler or as the browser writes them. Times are milliseconds.

Tables by https://github.com/firefox-devtools/profiler (docs-developer): processed ones have a list for each column, raw
ones a list for each row, with the columns in `schema`. Markers become instants, or slices where they have an end.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tilescope.tiler.errors import DamagedTrace
from tilescope.tiler.readers.sampled.profile import (
    MILLISECOND_NS,
    SampledProfile,
    is_object,
    items,
    nanoseconds,
    objects,
    text,
)
from tilescope.tiler.readers.sampled.stacks import ParentStacks, Sample, StackFrame, slices
from tilescope.tiler.readers.source import ByteSource
from tilescope.tiler.readers.translated.event_text import Event, metadata
from tilescope.tiler.readers.translated.whole_text import read_json

Columns = Mapping[str, Sequence[object]]

_PID: Final = "Firefox"
_COLUMNS: Final = frozenset(
    ("stack", "time", "timeDeltas", "prefix", "frame", "location", "func", "line", "name", "startTime", "endTime")
)
_NO_SAMPLES: Final = "samples_without_stack_or_time"


def read_firefox(source: ByteSource) -> SampledProfile:
    """The threads of all processes. Raises TraceError."""
    value = read_json(source)
    if not is_object(value) or not is_object(value.get("meta")):
        raise DamagedTrace(source.path, "is no object with a profile of Firefox")
    meta = value["meta"]
    start = nanoseconds(meta.get("startTime"), MILLISECOND_NS) if is_object(meta) else None
    profile = SampledProfile(iter(()), start or 0)
    profile.events = _events(value, profile)
    return profile


def _events(value: Mapping[str, object], profile: SampledProfile) -> Iterator[Event]:
    shared = value.get("shared")
    pending: list[tuple[Mapping[str, object], int]] = [(value, 0)]
    process = 0
    while pending:
        member, depth = pending.pop()
        if depth == 0:
            pending += [(child, depth + 1) for child in objects(member.get("processes"))]
        process += 1
        for number, thread in enumerate(objects(member.get("threads"))):
            number_of_process = thread.get("pid")
            is_number = isinstance(number_of_process, int) and abs(number_of_process) < 1 << 53
            pid = str(number_of_process) if is_number else text(number_of_process) or f"{_PID} {process}"
            name = text(thread.get("name")) or f"thread {number}"
            yield metadata("process_name", pid, None, text(thread.get("processName")) or _PID)
            yield metadata("thread_name", pid, number, name)
            yield from _thread_events({**thread, **(shared if is_object(shared) else {})}, pid, number, profile.ignored)


def _thread_events(thread: Mapping[str, object], pid: str, tid: int, ignored: dict[str, int]) -> Iterator[Event]:
    texts = [text(item) for item in items(thread.get("stringArray") or thread.get("stringTable"))]
    tables = {name: _columns(thread.get(name)) for name in ("samples", "stackTable", "frameTable", "funcTable")}
    frames = _frames(tables["frameTable"], tables["funcTable"], texts)
    stacks = _stacks(tables["stackTable"], len(frames))
    samples: list[Sample] = []
    times = _times(tables["samples"])
    for time, stack in zip(times, tables["samples"].get("stack", ()), strict=False):
        if time is None:
            ignored[_NO_SAMPLES] = ignored.get(_NO_SAMPLES, 0) + 1
        else:
            samples.append(Sample(time, stacks.stack(stack) if isinstance(stack, int) else ()))
    samples.sort(key=lambda sample: sample.time_ns)
    distances = [after.time_ns - before.time_ns for before, after in itertools.pairwise(samples)]
    end = samples[-1].time_ns + (distances[-1] if distances else 0) if samples else 0
    yield from slices(samples, end, frames, pid, tid)
    yield from _markers(_columns(thread.get("markers")), texts, pid, tid)


def _times(samples: Columns) -> list[int | None]:
    if "time" in samples:
        return [nanoseconds(time, MILLISECOND_NS) for time in samples["time"]]
    total = 0
    times: list[int | None] = []
    for delta in samples.get("timeDeltas", ()):
        step = nanoseconds(delta, MILLISECOND_NS)
        total += step or 0
        times.append(None if step is None else total)
    return times


def _columns(table: object) -> Columns:
    """The columns of a table of either form."""
    if not is_object(table):
        return {}
    schema = table.get("schema")
    if not is_object(schema):
        return {name: column for name, column in table.items() if isinstance(column, list)}
    columns: dict[str, list[object]] = defaultdict(list)
    rows = [row for row in items(table.get("data")) if isinstance(row, list)]
    for name, place in schema.items():
        if name in _COLUMNS and isinstance(place, int) and place >= 0:
            columns[name] = [row[place] if place < len(row) else None for row in rows]
    return columns


def _frames(table: Columns, functions: Columns, texts: Sequence[str]) -> list[StackFrame]:
    def named(number: object) -> str:
        return texts[number] if isinstance(number, int) and 0 <= number < len(texts) else ""

    names = functions.get("name", ())
    if "func" in table:
        numbers = [names[k] if isinstance(k, int) and 0 <= k < len(names) else None for k in table["func"]]
    else:
        numbers = list(table.get("location", ()))
    lines = table.get("line", ())
    frames = []
    for row, number in enumerate(numbers):
        line = lines[row] if row < len(lines) else None
        frames.append(StackFrame(named(number) or "(anonymous)", {"line": line} if isinstance(line, int) else {}))
    return frames


def _stacks(table: Columns, frame_count: int) -> ParentStacks:
    """Stacks by row. Each refers to the one around it, which stands before it."""
    parents: dict[int, int] = {}
    frames: dict[int, int] = {}
    for row, (prefix, frame) in enumerate(zip(table.get("prefix", ()), table.get("frame", ()), strict=False)):
        if isinstance(prefix, int) and 0 <= prefix < row:
            parents[row] = prefix
        if isinstance(frame, int) and 0 <= frame < frame_count:
            frames[row] = frame
    return ParentStacks(parents, frames)


def _markers(table: Columns, texts: Sequence[str], pid: str, tid: int) -> Iterator[Event]:
    names = table.get("name", ())
    starts = table.get("startTime", table.get("time", ()))
    ends = table.get("endTime", ())
    for row, (number, start) in enumerate(zip(names, starts, strict=False)):
        begin = nanoseconds(start, MILLISECOND_NS)
        end = nanoseconds(ends[row], MILLISECOND_NS) if row < len(ends) else None
        if begin is None or not isinstance(number, int) or not 0 <= number < len(texts):
            continue
        event: dict[str, object] = {"cat": "marker", "name": texts[number], "pid": pid, "tid": tid, "ts": begin}
        if end is not None and end > begin:
            # On a track of its own: markers cross the frames.
            yield event | {"ph": "X", "dur": end - begin, "tid": f"{tid} markers"}
        else:
            yield event | {"ph": "i"}
