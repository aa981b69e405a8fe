"""Use of a memory space by a program while it runs: by the compiler's plan, which is static.

The compiler's heap trace says in which order buffers are made and freed. What lives as long as the program, its
parameters, constants and results, is there at every point. What is local to threads is in no sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

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


class ShapeText(Protocol):
    """A shape for readers."""

    @property
    def text(self) -> str:
        """As programs have it: "bf16[8,128]{1,0:T(8,128)}"."""


class MemoryUse(Protocol):
    """Sums and curve of a `WorkingSpace`, or of what another program wrote of one; None: not recorded."""

    @property
    def heap(self) -> tuple[int, ...]: ...
    @property
    def unpadded(self) -> tuple[int, ...]: ...
    @property
    def events(self) -> tuple[str, ...]: ...
    @property
    def position(self) -> int: ...
    @property
    def peak(self) -> int: ...
    @property
    def peak_unpadded(self) -> int: ...
    @property
    def parameters(self) -> int: ...
    @property
    def outputs(self) -> int: ...
    @property
    def constants(self) -> int | None: ...
    @property
    def total(self) -> int: ...
    @property
    def thread_local(self) -> int: ...
    @property
    def indefinite(self) -> int: ...
    @property
    def not_reusable(self) -> int: ...


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
    shape: ShapeText | None


@dataclass(frozen=True, slots=True)
class WorkingSpace:
    """Use of one memory space by one program; bytes. Before event k of the heap trace point k is how much is in use."""

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
        return sum(
            allocation.size for allocation in self.allocations if purpose is None or purpose_of(allocation) == purpose
        )

    @property
    def parameters(self) -> int:
        """Bytes of the program's parameters."""
        return sum(
            allocation.size
            for allocation in self.allocations
            if allocation.is_parameter and not allocation.is_thread_local
        )

    @property
    def outputs(self) -> int:
        """Bytes that may outlive it; some of it may be parameters, too."""
        return sum(
            allocation.size
            for allocation in self.allocations
            if allocation.is_live_out and not allocation.is_thread_local
        )

    @property
    def constants(self) -> int:
        """Values that the program brings."""
        return self._sum("constant")

    @property
    def total(self) -> int:
        """Bytes of all allocations, without those local to threads."""
        return self._sum() - self.thread_local

    @property
    def thread_local(self) -> int:
        """Bytes of allocations that each thread has for itself."""
        return self._sum("thread-local")

    @property
    def indefinite(self) -> int:
        """Bytes that live as long as the program, or longer."""
        return sum(
            allocation.size
            for allocation in self.allocations
            if allocation.is_indefinite and not allocation.is_thread_local
        )

    @property
    def not_reusable(self) -> int:
        """Bytes of allocations that no two buffers share: those of tuples, and of threads."""
        return sum(
            allocation.size for allocation in self.allocations if allocation.is_thread_local or allocation.is_tuple
        )


def lost_share(use: MemoryUse) -> float | None:
    """The share of memory for temporary values that is lost between them; None: there are none."""
    temporary = use.total - use.indefinite
    return (use.total - use.peak) / temporary if temporary > 0 and use.heap else None


def purposes_of(allocation: Allocation) -> list[str]:
    """All purposes of an allocation."""
    purposes: list[tuple[bool, str]] = [
        (allocation.is_parameter, "parameter"),
        (allocation.is_live_out, "output"),
        (allocation.is_thread_local, "thread-local"),
        (allocation.is_constant, "constant"),
        (allocation.is_tuple, "tuple"),
    ]
    return [name for is_so, name in purposes if is_so] or ["temporary"]


def purpose_of(allocation: Allocation) -> Purpose:
    """The purpose that an allocation is counted under."""
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
    allocations = tuple(allocation for allocation in assignment.allocations if allocation.color == space)
    of_buffer = {
        assigned.buffer: allocation for allocation in assignment.allocations for assigned in allocation.assigned
    }
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
    for space_allocation in allocations:
        if not space_allocation.is_indefinite or space_allocation.is_thread_local:
            continue
        always += space_allocation.size
        # Of several values in one place the greatest.
        greatest = max(space_allocation.assigned, key=lambda assigned: assigned.size, default=None)
        if greatest is not None and greatest.buffer in assignment.buffers and greatest.buffer not in heap.spans:
            line = _lifeline(
                module, assignment, greatest.buffer, purpose_of(space_allocation), (-1, last), is_at_peak=True
            )
            lifelines.append(line)
            always_unpadded += min(line.unpadded, space_allocation.size)
        else:
            always_unpadded += space_allocation.size
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
    logical_buffer = assignment.buffers[buffer]
    shape = logical_buffer.shape(module)
    unpadded = unpadded_bytes(logical_buffer, shape)
    return Lifeline(logical_buffer, purpose, unpadded, *span, is_at_peak, logical_buffer.instruction(module), shape)


def unpadded_bytes(buffer: LogicalBuffer, shape: ValueShape | None) -> int:
    """Bytes of its value, without padding: of a tuple its pointers; what has no elements is taken as it is."""
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
        buffer_allocations = (of_buffer.get(event.buffer) for event in trace.events)
        count = sum(allocation is not None and allocation.color == space for allocation in buffer_allocations)
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
        logical_buffer = self._buffers.get(buffer)
        if logical_buffer is None or buffer in self._live:
            return
        unpadded = unpadded_bytes(logical_buffer, logical_buffer.shape(self._module))
        self._live[buffer] = unpadded
        self.spans[buffer] = self.spans.get(buffer, (number, last))[0], last
        self.used += logical_buffer.size
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
        live_buffers: set[int] = set()
        for buffer, came in self._changes[: self._changes_to_peak]:
            if came:
                live_buffers.add(buffer)
            else:
                live_buffers.discard(buffer)
        return frozenset(live_buffers)
