"""Samples of stacks as slices: a function is there from the first sample that has it to the one that has it no more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct

from tilescope.tiler.readers.translated.event_text import Event

CATEGORY: Final = "sampled"
_DEEPEST: Final = 10_000  # frames of a stack; beyond them there are none


class StackFrame(Struct, frozen=True):
    """A function, with the arguments of its slices."""

    name: str
    args: dict[str, object] = {}


class Sample(Struct, frozen=True):
    """The stack of a thread from a time on: numbers of frames, the outermost first."""

    time_ns: int
    stack: Sequence[int]


class _Open(Struct):
    frame: int
    start_ns: int
    samples: int


def slices(
    samples: Iterable[Sample], end_ns: int, frames: Sequence[StackFrame], pid: int | str, tid: int | str
) -> Iterator[Event]:
    """The slices of a thread, the inner ones first where they end together. Samples are in the order of time."""
    opened: list[_Open] = []

    def close(depth: int, time_ns: int) -> Iterator[Event]:
        while len(opened) > depth:
            top = opened.pop()
            frame = frames[top.frame]
            yield {
                "ph": "X",
                "cat": CATEGORY,
                "name": frame.name,
                "pid": pid,
                "tid": tid,
                "ts": top.start_ns,
                "dur": max(0, time_ns - top.start_ns),
                "args": {**frame.args, "samples": top.samples},
            }

    for sample in samples:
        stack = sample.stack[:_DEEPEST]
        common = 0
        for top, frame in zip(opened, stack, strict=False):
            if top.frame != frame:
                break
            top.samples += 1
            common += 1
        yield from close(common, sample.time_ns)
        opened += [_Open(frame, sample.time_ns, 1) for frame in stack[common:]]
    yield from close(0, end_ns)
