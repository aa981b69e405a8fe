"""Profiles of speedscope: sampled ones, and those that say when functions are entered and left.

The schema is https://www.speedscope.app/file-format-schema.json. Each of its profiles is a thread.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tilescope.tiler.errors import DamagedTrace
from tilescope.tiler.printable_text import printable
from tilescope.tiler.readers.sampled.profile import (
    MICROSECOND_NS,
    MILLISECOND_NS,
    SECOND_NS,
    SampledProfile,
    is_object,
    items,
    nanoseconds,
    objects,
    text,
)
from tilescope.tiler.readers.sampled.stacks import CATEGORY, Sample, StackFrame, slices
from tilescope.tiler.readers.source import ByteSource
from tilescope.tiler.readers.translated.event_text import Event, metadata
from tilescope.tiler.readers.translated.whole_text import read_json

_UNITS: Final = {
    "nanoseconds": 1,
    "microseconds": MICROSECOND_NS,
    "milliseconds": MILLISECOND_NS,
    "seconds": SECOND_NS,
}
_PID: Final = "speedscope"
_MOST_WARNINGS: Final = 20


def read_speedscope(source: ByteSource) -> SampledProfile:
    """All profiles of a file. Raises TraceError."""
    value = read_json(source)
    shared = value.get("shared") if is_object(value) else None
    if not is_object(value) or not is_object(shared):
        raise DamagedTrace(source.path, "is no object with profiles of speedscope")
    profile = SampledProfile(iter(()))
    profile.events = _events(value, [_frame(frame) for frame in objects(shared.get("frames"))], profile)
    return profile


def _events(value: Mapping[str, object], frames: Sequence[StackFrame], profile: SampledProfile) -> Iterator[Event]:
    yield metadata("process_name", _PID, None, text(value.get("name")) or text(value.get("exporter")) or _PID)
    for number, member in enumerate(objects(value.get("profiles"))):
        name = text(member.get("name")) or f"profile {number + 1}"
        yield metadata("thread_name", _PID, number, name)
        unit = text(member.get("unit"), "none")
        if unit not in _UNITS and len(profile.warnings) < _MOST_WARNINGS:
            shown = f"{printable(name)[:80]} counts {printable(unit)[:20]}"
            profile.warnings.append(f"{shown}, not time: each is drawn as one nanosecond")
        if member.get("type") == "evented":
            yield from _evented(member, _UNITS.get(unit, 1), frames, number, profile.ignored)
        else:
            yield from _sampled(member, _UNITS.get(unit, 1), frames, number, profile.ignored)


def _evented(
    member: Mapping[str, object], unit_ns: int, frames: Sequence[StackFrame], tid: int, ignored: dict[str, int]
) -> Iterator[Event]:
    for event in objects(member.get("events")):
        frame, time, phase = event.get("frame"), nanoseconds(event.get("at"), unit_ns), event.get("type")
        if not isinstance(frame, int) or not 0 <= frame < len(frames) or time is None or phase not in ("O", "C"):
            ignored["events_without_frame_or_time"] = ignored.get("events_without_frame_or_time", 0) + 1
            continue
        yield {
            "ph": "B" if phase == "O" else "E",
            "cat": CATEGORY,
            "name": frames[frame].name,
            "pid": _PID,
            "tid": tid,
            "ts": time,
            **({"args": frames[frame].args} if phase == "O" else {}),
        }


def _sampled(
    member: Mapping[str, object], unit_ns: int, frames: Sequence[StackFrame], tid: int, ignored: dict[str, int]
) -> Iterator[Event]:
    time = nanoseconds(member.get("startValue"), unit_ns) or 0
    samples: list[Sample] = []
    for stack, weight in zip(items(member.get("samples")), items(member.get("weights")), strict=False):
        duration = nanoseconds(weight, unit_ns)
        numbers = [number for number in items(stack) if isinstance(number, int) and 0 <= number < len(frames)]
        if duration is None or duration < 0 or len(numbers) != len(items(stack)):
            ignored["samples_without_frames_or_weight"] = ignored.get("samples_without_frames_or_weight", 0) + 1
            continue
        samples.append(Sample(time, numbers))
        time += duration
    yield from slices(samples, time, frames, _PID, tid)


def _frame(frame: Mapping[str, object]) -> StackFrame:
    numbers = {key: frame[key] for key in ("line", "col") if isinstance(frame.get(key), int)}
    args = ({"file": text(frame["file"])} if isinstance(frame.get("file"), str) else {}) | numbers
    return StackFrame(text(frame.get("name")) or "(anonymous)", args)
