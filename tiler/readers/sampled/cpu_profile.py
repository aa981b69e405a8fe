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
from tilescope.tiler.readers.sampled.stacks import Sample, StackFrame, slices
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
    frames, stacks = _stacks(nodes)
    profile = SampledProfile(iter(()))
    times = list(_times(value))
    samples: list[Sample] = []
    for time, node in zip(times, items(value.get("samples")), strict=False):
        stack = stacks.get(node) if isinstance(node, int) else None
        if time is None or stack is None:
            profile.ignored["samples_without_node_or_time"] = profile.ignored.get("samples_without_node_or_time", 0) + 1
        else:
            samples.append(Sample(time, stack))
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


def _stacks(nodes: list[dict[str, object]]) -> tuple[list[StackFrame], dict[int, list[int]]]:
    """Frames, and the stack of each node by its id, without the root; none of idle time. Cycles end at their begin."""
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
    stacks: dict[int, list[int]] = {}
    frame_of_node: dict[int, int | None] = {}
    for number, node in by_id.items():
        frame = _frame(node)
        key = repr(frame)
        if frame.name in (_ROOT, _IDLE):
            frame_of_node[number] = None
        else:
            frame_of_node[number] = number_of_frame.setdefault(key, len(frames))
            if number_of_frame[key] == len(frames):
                frames.append(frame)
    for number in by_id:
        chain: list[int] = []
        visited: set[int] = set()
        node_id: int | None = number
        while node_id is not None and node_id not in stacks and node_id not in visited:
            visited.add(node_id)
            chain.append(node_id)
            node_id = parents.get(node_id)
        stack = list(stacks.get(node_id, ())) if node_id is not None else []
        for member in reversed(chain):
            frame_number = frame_of_node.get(member)
            if frame_number is not None:
                stack = [*stack, frame_number]
            stacks[member] = stack
    return frames, stacks


def _frame(node: Mapping[str, object]) -> StackFrame:
    call = node.get("callFrame")
    place = call if is_object(call) else node
    args: dict[str, object] = {}
    if url := text(place.get("url")):
        args["file"] = url
    line = place.get("lineNumber")
    if isinstance(line, int) and line >= 0:
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
