"""CPU profiles of V8 (`.cpuprofile`): of Node.js, Chrome and Deno. Times are microseconds.

The format is that of `Profiler.Profile` in Chrome's DevTools protocol; before 2014 it was a tree, with times of samples
in `timestamps`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from tilescope.tiler.errors import DamagedTrace
from tilescope.tiler.readers.sampled.profile import (
    MICROSECOND_NS,
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

_ROOT: Final = "(root)"
_IDLE: Final = "(idle)"  # nothing runs: there is no slice
_PID: Final = "V8"
_TID: Final = "JavaScript"


def read_cpu_profile(source: ByteSource) -> SampledProfile:
    """The samples of a profile. Raises TraceError."""
    value = read_json(source)
    if not is_object(value):
        raise DamagedTrace(source.path, "is no object with a CPU profile of V8")
    nodes = objects(value["nodes"]) if "nodes" in value else list(_flattened(value.get("head")))
    frames, ids, stacks = _stacks(nodes)
    profile = SampledProfile(iter(()))
    times = list(_times(value))
    samples: list[Sample] = []
    for time, node in zip(times, items(value.get("samples")), strict=False):
        if time is None or not isinstance(node, int) or node not in ids:
            profile.ignored["samples_without_node_or_time"] = profile.ignored.get("samples_without_node_or_time", 0) + 1
        else:
            samples.append(Sample(time, stacks.stack(node)))
    samples.sort(key=lambda sample: sample.time_ns)  # threads of V8 write some a little late
    end = nanoseconds(value.get("endTime"), MICROSECOND_NS)
    last = samples[-1].time_ns if samples else 0
    profile.events = _events(samples, max(last, end or 0), frames)
    return profile


def _events(samples: list[Sample], end_ns: int, frames: list[StackFrame]) -> Iterator[Event]:
    yield metadata("process_name", _PID, None, _PID)
    yield metadata("thread_name", _PID, _TID, _TID)
    yield from slices(samples, end_ns, frames, _PID, _TID)


def _times(value: Mapping[str, object]) -> Iterator[int | None]:
    """Times of the samples, which say them themselves, or each from the one before."""
    if isinstance(value.get("timestamps"), list):
        for stamp in items(value["timestamps"]):
            yield nanoseconds(stamp, MICROSECOND_NS)
        return
    time = nanoseconds(value.get("startTime"), MICROSECOND_NS) or 0
    for delta in items(value.get("timeDeltas")):
        step = nanoseconds(delta, MICROSECOND_NS)
        time += step or 0
        yield None if step is None else time


def _stacks(nodes: list[dict[str, object]]) -> tuple[list[StackFrame], set[int], ParentStacks]:
    """Frames, ids of nodes, and their stacks, without the root; none of idle time."""
    frames: list[StackFrame] = []
    number_of_frame: dict[str, int] = {}
    by_id: dict[int, dict[str, object]] = {}
    parents: dict[int, int] = {}
    for node in nodes:
        number = node.get("id")
        if isinstance(number, int):
            by_id.setdefault(number, node)
            if isinstance(parent := node.get("parent"), int):
                parents.setdefault(number, parent)
            for child in items(node.get("children")):
                if isinstance(child, int):
                    parents.setdefault(child, number)
    frame_of_node: dict[int, int] = {}
    for number, node in by_id.items():
        frame = _frame(node)
        if frame.name in (_ROOT, _IDLE):
            continue
        key = repr(frame)
        if key not in number_of_frame:
            number_of_frame[key] = len(frames)
            frames.append(frame)
        frame_of_node[number] = number_of_frame[key]
    return frames, set(by_id), ParentStacks(parents, frame_of_node)


def _frame(node: Mapping[str, object]) -> StackFrame:
    call = node.get("callFrame")
    place = call if is_object(call) else node
    args: dict[str, object] = {}
    if url := text(place.get("url")):
        args["file"] = url
    line = place.get("lineNumber")
    if isinstance(line, int) and 0 <= line < 1 << 53:
        args["line"] = line + 1 if call is place else line  # the newer format counts from 0
    return StackFrame(text(place.get("functionName")) or "(anonymous)", args)


def _flattened(head: object) -> Iterator[dict[str, object]]:
    """Nodes of the older format, whose children are nodes."""
    pending = [head] if is_object(head) else []
    while pending:
        node = pending.pop()
        children = objects(node.get("children"))
        yield {**node, "children": [child.get("id") for child in children]}
        pending += children
