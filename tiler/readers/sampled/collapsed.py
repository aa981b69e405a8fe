"""Collapsed stacks, `main;parse;read 12` in a line, as flame graphs are made of: they have no times.

So each stack is drawn as long as its count says, one after the other in the order of the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tilescope.tiler.readers.sampled.profile import MILLISECOND_NS, SampledProfile
from tilescope.tiler.readers.sampled.stacks import DEEPEST, Sample, StackFrame, slices
from tilescope.tiler.readers.source import ByteSource
from tilescope.tiler.readers.translated.event_text import Event, metadata
from tilescope.tiler.readers.translated.whole_text import read_text

_PID: Final = "Collapsed stacks"
_TID: Final = "samples"
_MOST_NS: Final = 1 << 61
_MOST_DIGITS: Final = 18
_WARNING: Final = "collapsed stacks have no times: each sample is drawn as 1 ms, in the order of the file"


def stack_and_count(line: bytes) -> tuple[bytes, int] | None:
    """The parts of a line; None where it has no count at its end."""
    stack, _, count = line.strip().rpartition(b" ")
    return (stack.rstrip(), int(count)) if stack and count.isdigit() and len(count) <= _MOST_DIGITS else None


def read_collapsed(source: ByteSource) -> SampledProfile:
    """The stacks of a file. Raises TraceError."""
    frames: list[StackFrame] = []
    numbers: dict[str, int] = {}
    samples: list[Sample] = []
    profile = SampledProfile(iter(()), warnings=[_WARNING])
    time = left_out = 0
    for line in read_text(source).splitlines():
        parts = stack_and_count(line)
        if parts is None or time + parts[1] * MILLISECOND_NS > _MOST_NS:
            left_out += bool(line.strip())
            continue
        stack = []
        for name in parts[0].decode("utf-8", "replace").split(";", DEEPEST):
            if name not in numbers:
                numbers[name] = len(frames)
                frames.append(StackFrame(name))
            stack.append(numbers[name])
        samples.append(Sample(time, stack))
        time += parts[1] * MILLISECOND_NS
    if left_out:
        profile.ignored["lines_without_stack_and_count"] = left_out
    profile.events = _events(samples, time, frames)
    return profile


def _events(samples: list[Sample], end_ns: int, frames: list[StackFrame]) -> Iterator[Event]:
    yield metadata("process_name", _PID, None, _PID)
    yield metadata("thread_name", _PID, _TID, _TID)
    yield from slices(samples, end_ns, frames, _PID, _TID)
