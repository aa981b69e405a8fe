"""Samples of stacks as slices: a function is there from the first sample that has it to the one that has it no more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct

from tilescope.tiler.readers.translated.event_text import Event

CATEGORY: Final = "sampled"
_MOST_KEPT: Final = 4096  # stacks
_MOST_ROWS: Final = 16_384  # that are gone through for one
DEEPEST: Final = 1024  # frames of a stack, the outermost ones: beyond them there are none


class StackFrame(Struct, frozen=True):
    """A function, with the arguments of its slices."""

    name: str
    args: dict[str, object] = {}


class Sample(Struct, frozen=True):
    """The stack of a thread from a time on: numbers of frames, the outermost first."""

    time_ns: int
    stack: Sequence[int]


class ParentStacks:
    """Stacks of rows that refer to the row around them, made when they are asked for; the last ones are kept."""

    def __init__(self, parents: Mapping[int, int], frames: Mapping[int, int]) -> None:
        """By the number of a row: the row around it, and its frame; of rows without one there is none."""
        self._parents = parents
        self._frames = frames
        self._kept: dict[int, Sequence[int]] = {}

    def stack(self, row: int) -> Sequence[int]:
        """Frames of a row and those around it, the outermost first. A cycle ends where it begins."""
        kept = self._kept.get(row)
        if kept is None:
            if len(self._kept) == _MOST_KEPT:
                self._kept.clear()
            kept = self._kept[row] = self._find(row)
        return kept

    def _find(self, row: int) -> Sequence[int]:
        rows: list[int] = []
        visited: set[int] = set()
        number: int | None = row
        while number is not None and number not in visited and len(visited) < _MOST_ROWS:
            visited.add(number)
            rows.append(number)
            number = self._parents.get(number)
        return [self._frames[member] for member in reversed(rows) if member in self._frames][:DEEPEST]


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
        stack = sample.stack[:DEEPEST]
        common = 0
        for top, frame in zip(opened, stack, strict=False):
            if top.frame != frame:
                break
            top.samples += 1
            common += 1
        yield from close(common, sample.time_ns)
        opened += [_Open(frame, sample.time_ns, 1) for frame in stack[common:]]
    yield from close(0, end_ns)
