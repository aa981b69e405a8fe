"""How much of a memory space a program uses while it runs: by the compiler's plan, which is static.

The compiler's heap trace says in which order buffers are made and freed. What lives as long as the program, its
parameters, constants and results, is there at every point. What is local to threads is in no sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tilescope.tiler.facts.hlo.buffers import (
    Allocation,
    BufferAssignment,
    HeapEvent,
    HeapEventKind,
    HeapTrace,
    LogicalBuffer,
)
from tilescope.tiler.facts.hlo.module import Instruction
from tilescope.tiler.facts.hlo.parsing import AT_ONCE
from tilescope.tiler.facts.hlo.shapes import POINTER_BYTES, ValueShape
from tilescope.tiler.facts.hlo.values import InstructionFinder
from tilescope.tiler.query import Interruptible

Purpose = Literal["parameter", "output", "thread-local", "constant", "temporary"]


@dataclass(frozen=True, slots=True)
class Lifeline:
    """A buffer, and from behind which event to which point of the program it is there."""

    buffer: LogicalBuffer
    purpose: Purpose
    unpadded: int  # bytes of its value, without what the layout adds
    first: int  # the event that makes it; -1: it is there from the start on
    last: int  # the last point at which it is there
    is_at_peak: bool
    instruction: Instruction | None
    shape: ValueShape | None


@dataclass(frozen=True, slots=True)
class WorkingSpace:
    """Of one program in one memory space; bytes. Before event k of the heap trace point k is how much is in use."""

    space: int
    allocations: tuple[Allocation, ...]
    heap: tuple[int, ...]  # no points: the compiler left no heap trace of this space
    unpadded: tuple[int, ...]
    events: tuple[str, ...]  # of each point but the last: the instruction that makes or frees a buffer
    peak: int
    peak_unpadded: int
    position: int  # the event that makes the peak, which is at the point behind it; -1 without points
    lifelines: tuple[Lifeline, ...]  # in the order of the program

    def _sum(self, purpose: Purpose | None = None) -> int:
        return sum(of.size for of in self.allocations if purpose is None or purpose_of(of) == purpose)

    @property
    def parameters(self) -> int:
        """Of the program."""
        return sum(of.size for of in self.allocations if of.is_parameter and not of.is_thread_local)

    @property
    def outputs(self) -> int:
        """What may outlive it; some of it may be parameters, too."""
        return sum(of.size for of in self.allocations if of.is_live_out and not of.is_thread_local)

    @property
    def constants(self) -> int:
        """Values that the program brings."""
        return self._sum("constant")

    @property
    def total(self) -> int:
        """Of all allocations, those local to threads left out."""
        return self._sum() - self.thread_local

    @property
    def thread_local(self) -> int:
        """Of allocations that each thread has for itself."""
        return self._sum("thread-local")

    @property
    def indefinite(self) -> int:
        """What lives as long as the program, or longer."""
        return sum(of.size for of in self.allocations if of.is_indefinite and not of.is_thread_local)

    @property
    def not_reusable(self) -> int:
        """Of allocations that no two buffers share: those of tuples, and of threads."""
        return sum(of.size for of in self.allocations if of.is_thread_local or of.is_tuple)

    @property
    def fragmentation(self) -> float | None:
        """The share of memory for temporary values that is lost between them; None: there are none."""
        temporary = self.total - self.indefinite
        return (self.total - self.peak) / temporary if temporary > 0 and self.heap else None


def purposes_of(allocation: Allocation) -> list[str]:
    """All that it is for."""
    told: list[tuple[bool, str]] = [
        (allocation.is_parameter, "parameter"),
        (allocation.is_live_out, "output"),
        (allocation.is_thread_local, "thread-local"),
        (allocation.is_constant, "constant"),
        (allocation.is_tuple, "tuple"),
    ]
    return [name for is_so, name in told if is_so] or ["temporary"]


def purpose_of(allocation: Allocation) -> Purpose:
    """What it is for."""
    if allocation.is_parameter:
        return "parameter"
    if allocation.is_live_out:
        return "output"
    if allocation.is_thread_local:
        return "thread-local"
    return "constant" if allocation.is_constant else "temporary"


def spaces_of(assignment: BufferAssignment) -> list[int]:
    """The memory spaces that a program uses; 0 is the device's main one."""
    return sorted({allocation.color for allocation in assignment.allocations})


def working_space(
    module: InstructionFinder, assignment: BufferAssignment, space: int, *, only_at_peak: bool = False
) -> Interruptible[WorkingSpace]:
    """The use of a memory space by a program; `only_at_peak`: with lifelines of buffers that are there at the peak."""
    allocations = tuple(of for of in assignment.allocations if of.color == space)
    of_buffer = {one.buffer: of for of in assignment.allocations for one in of.assigned}
    yield
    trace = _trace_of(assignment, of_buffer, space)
    heap = _Heap(module, assignment)
    if trace is not None:
        yield from heap.run(trace.events)
    at_peak = heap.at_peak()
    yield
    lifelines = []
    last = max(len(heap.points) - 1, 0)
    always = always_unpadded = 0
    for of in allocations:
        if not of.is_indefinite or of.is_thread_local:
            continue
        always += of.size
        # Of several values in one place the greatest.
        greatest = max(of.assigned, key=lambda one: one.size, default=None)
        if greatest is not None and greatest.buffer in assignment.buffers and greatest.buffer not in heap.spans:
            line = _lifeline(module, assignment, greatest.buffer, purpose_of(of), (-1, last), is_at_peak=True)
            lifelines.append(line)
            always_unpadded += min(line.unpadded, of.size)
        else:
            always_unpadded += of.size
    for number, (buffer, span) in enumerate(heap.spans.items()):
        if only_at_peak and buffer not in at_peak:
            continue
        allocation = of_buffer.get(buffer)
        purpose = "temporary" if allocation is None else purpose_of(allocation)
        lifelines.append(_lifeline(module, assignment, buffer, purpose, span, is_at_peak=buffer in at_peak))
        if number % AT_ONCE == 0:
            yield
    return WorkingSpace(
        space,
        allocations,
        tuple(used + always for used, _ in heap.points),
        tuple(used + always_unpadded for _, used in heap.points),
        tuple(event.instruction for event in trace.events) if trace is not None else (),
        heap.peak + always,
        heap.peak_unpadded + always_unpadded,
        heap.position,
        tuple(lifelines),
    )


def _lifeline(
    module: InstructionFinder,
    assignment: BufferAssignment,
    buffer: int,
    purpose: Purpose,
    span: tuple[int, int],
    *,
    is_at_peak: bool,
) -> Lifeline:
    of = assignment.buffers[buffer]
    shape = of.shape(module)
    unpadded = unpadded_bytes(of, shape)
    return Lifeline(of, purpose, unpadded, *span, is_at_peak, of.instruction(module), shape)


def unpadded_bytes(buffer: LogicalBuffer, shape: ValueShape | None) -> int:
    """Of its value, without what the layout adds: of a tuple its pointers; what has no elements is taken as it is."""
    if shape is None:
        return buffer.size
    needed = len(shape.parts) * POINTER_BYTES if shape.is_tuple else shape.bytes
    return min(needed or buffer.size, buffer.size)


def _trace_of(assignment: BufferAssignment, of_buffer: dict[int, Allocation], space: int) -> HeapTrace | None:
    """The heap trace of a memory space: that of its temporary values, or else the one with most events of it."""
    best, most = None, 0
    for trace in assignment.traces:
        first = of_buffer.get(trace.events[0].buffer) if trace.events else None
        if first is not None and first.color == space and not first.is_indefinite:
            return trace
        found = (of_buffer.get(event.buffer) for event in trace.events)
        count = sum(of is not None and of.color == space for of in found)
        if count > most:
            best, most = trace, count
    return best


class _Heap:
    """Fills and empties, event by event."""

    def __init__(self, module: InstructionFinder, assignment: BufferAssignment) -> None:
        self._module = module
        self._buffers = assignment.buffers
        self._stands_for: dict[int, int] = {}  # buffers that share the memory of another
        self._uses: dict[int, int] = {}
        self._live: dict[int, int] = {}  # by buffer its unpadded bytes
        self._changes: list[tuple[int, bool]] = []  # buffers that came, or went
        self.spans: dict[int, tuple[int, int]] = {}  # first and last point
        self.points: list[tuple[int, int]] = []  # bytes in use, and without padding
        self.used = self.used_unpadded = 0
        self.peak = self.peak_unpadded = 0
        self.position = -1
        self._changes_to_peak = 0

    def run(self, events: Sequence[HeapEvent]) -> Interruptible[None]:
        """Does what events of a heap trace say."""
        last = len(events)
        for number, event in enumerate(events):
            self.points.append((self.used, self.used_unpadded))
            if event.kind == HeapEventKind.ALLOC:
                self._uses[event.buffer] = self._uses.get(event.buffer, 0) + 1
                self._add(event.buffer, number, last)
            elif event.kind == HeapEventKind.FREE:
                self._free(self._stands_for.get(event.buffer, event.buffer), number)
            elif event.kind == HeapEventKind.SHARE_WITH:
                self._share(event.buffer, event.shares_with, number, last)
            if number % AT_ONCE == 0:
                yield
        self.points.append((self.used, self.used_unpadded))

    def _share(self, buffer: int, canonical: int, number: int, last: int) -> None:
        other = self._stands_for.get(canonical, canonical)
        if other == buffer:
            return
        if other in self._live:
            self._stands_for[buffer] = other
            self._uses[other] = self._uses.get(other, 0) + 1
        else:  # the memory was free in between: it begins to be this one's
            self._stands_for[canonical] = buffer
            self._uses[buffer] = 1
            self._add(buffer, number, last)

    def _add(self, buffer: int, number: int, last: int) -> None:
        of = self._buffers.get(buffer)
        if of is None or buffer in self._live:
            return
        unpadded = unpadded_bytes(of, of.shape(self._module))
        self._live[buffer] = unpadded
        self.spans[buffer] = self.spans.get(buffer, (number, last))[0], last
        self.used += of.size
        self.used_unpadded += unpadded
        self._changes.append((buffer, True))
        if self.used > self.peak:
            self.peak, self.peak_unpadded, self.position = self.used, self.used_unpadded, number
            self._changes_to_peak = len(self._changes)

    def _free(self, buffer: int, number: int) -> None:
        self._uses[buffer] = self._uses.get(buffer, 0) - 1
        if self._uses[buffer] > 0 or buffer not in self._live:
            return
        self.used -= self._buffers[buffer].size
        self.used_unpadded -= self._live.pop(buffer)
        self._changes.append((buffer, False))
        self.spans[buffer] = self.spans[buffer][0], number

    def at_peak(self) -> frozenset[int]:
        """The buffers that are there at the peak."""
        found: set[int] = set()
        for buffer, came in self._changes[: self._changes_to_peak]:
            if came:
                found.add(buffer)
            else:
                found.discard(buffer)
        return frozenset(found)
