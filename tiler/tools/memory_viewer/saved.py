"""A memory viewer page that the Cloud TPU profiler saved: an HLO module and its buffers, as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from tilescope.tiler.facts.hlo import BufferAssignment
from tilescope.tiler.facts.hlo.buffers import Allocation, Assigned, HeapEvent, HeapEventKind, HeapTrace, LogicalBuffer
from tilescope.tiler.facts.hlo.module import HloModule, Instruction
from tilescope.tiler.facts.hlo.parsing import AT_ONCE, MAX_BYTES
from tilescope.tiler.facts.hlo.shapes import ArrayLayout, ValueShape, element_type
from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools.imported.json_values import items, member, text, whole

PAGE: Final = "memory_viewer"
_MAX_RANK: Final = 64  # no array has more dimensions, and many buffers can be of one shape
_MAX_PLACE: Final = 1 << 31
_KINDS: Final = {kind.name: kind for kind in HeapEventKind}


@dataclass(frozen=True, slots=True)
class SavedValues:
    """Instructions of the file, which buffers name."""

    by_name: dict[str, Instruction]
    by_id: dict[int, Instruction]

    def source(self, instruction: Instruction) -> str:
        """The line of an instruction: "train.py:43"; "" unknown."""
        return HloModule("", {}, 0).source(instruction)


@dataclass(frozen=True, slots=True)
class SavedProgram:
    """The program of a page; `left_out` counts buffers and allocations without an id or a size that can be."""

    label: str
    values: SavedValues
    assignment: BufferAssignment
    left_out: int


def saved_program(parsed: Any) -> Interruptible[SavedProgram]:
    """The program of a page."""
    module, raw = member(parsed, "hloModule"), member(parsed, "bufferAssignment")
    values = SavedValues({}, {})
    for computation in items(member(module, "computations")):
        for count, instruction in enumerate(items(member(computation, "instructions"))):
            if count % AT_ONCE == 0:
                yield
            made = _instruction(instruction)
            values.by_name[made.name] = values.by_id[made.id] = made
    buffers: dict[int, LogicalBuffer] = {}
    raw_buffers, raw_allocations = items(member(raw, "logicalBuffers")), items(member(raw, "bufferAllocations"))
    for count, raw_buffer in enumerate(raw_buffers):
        if count % AT_ONCE == 0:
            yield
        buffer = _buffer(raw_buffer)
        if buffer is not None:
            buffers[buffer.id] = buffer
    allocations: list[Allocation] = []
    for count, raw_allocation in enumerate(raw_allocations):
        if count % AT_ONCE == 0:
            yield
        allocation = _allocation(raw_allocation)
        if allocation is not None:
            allocations.append(allocation)
    traces: list[HeapTrace] = []
    for trace in items(member(raw, "heapSimulatorTraces")):
        events: list[HeapEvent] = []
        for event in items(member(trace, "events")):
            if len(events) % AT_ONCE == 0:
                yield
            events.append(_event(event))
        traces.append(HeapTrace(tuple(events), whole(member(trace, "bufferAllocationIndex")) or 0))
    left_out = len(raw_buffers) - len(buffers) + len(raw_allocations) - len(allocations)
    assignment = BufferAssignment(buffers, tuple(allocations), tuple(traces), 0)
    return SavedProgram(text(member(module, "name")) or "the program", values, assignment, left_out)


def _instruction(raw: Any) -> Instruction:
    metadata = member(raw, "metadata")
    return Instruction(
        whole(member(raw, "id")) or 0,
        text(member(raw, "name")) or "",
        text(member(raw, "opcode")) or "",
        _shape(member(raw, "shape")),
        op_type=text(member(metadata, "opType")) or "",
        op_name=text(member(metadata, "opName")) or "",
        source_file=text(member(metadata, "sourceFile")) or "",
        source_line=whole(member(metadata, "sourceLine")) or 0,
        fusion_kind=text(member(raw, "fusionKind")) or "",
    )


def _shape(raw: Any) -> ValueShape:
    dimensions = _numbers(member(raw, "dimensions"))
    order = _numbers(member(raw, "layout", "minorToMajor"))
    return ValueShape(
        element_type((text(member(raw, "elementType")) or "").lower()) or 0,
        tuple(max(size, 0) for size in dimensions),
        tuple(_shape(part) for part in items(member(raw, "tupleShapes"))),
        _layout(member(raw, "layout"), order) if sorted(order) == list(range(len(dimensions))) else None,
    )


def _layout(raw: Any, order: tuple[int, ...]) -> ArrayLayout:
    tiles = tuple(_numbers(member(tile, "dimensions")) for tile in items(member(raw, "tiles"))[:_MAX_RANK])
    names = ("elementSizeInBits", "memorySpace", "tailPaddingAlignmentInElements")
    return ArrayLayout(order, tiles, *(whole(member(raw, name)) or 0 for name in names))


def _numbers(raw: Any) -> tuple[int, ...]:
    return tuple(whole(number) or 0 for number in items(raw)[:_MAX_RANK])


def _buffer(raw: Any) -> LogicalBuffer | None:
    defined_at = member(raw, "definedAt")
    number, size = whole(member(raw, "id")), _size(member(raw, "size"))
    if number is None or size is None:
        return None
    return LogicalBuffer(
        number,
        size,
        whole(member(defined_at, "instructionId")) or 0,
        text(member(defined_at, "instructionName")) or "",
        _places(member(defined_at, "shapeIndex")),
        _color(raw),
    )


def _allocation(raw: Any) -> Allocation | None:
    size = _size(member(raw, "size"))
    if size is None:
        return None
    assigned = []
    for part in items(member(raw, "assigned")):
        number = whole(member(part, "logicalBufferId"))
        if number is not None:
            assigned.append(Assigned(number, _size(member(part, "offset")) or 0, _size(member(part, "size")) or 0))

    def is_so(name: str) -> bool:
        return member(raw, name) is True

    return Allocation(
        whole(member(raw, "index")) or 0,
        size,
        _color(raw),
        is_so("isThreadLocal"),
        is_so("isEntryComputationParameter"),
        whole(member(raw, "parameterNumber")) or 0,
        _places(member(raw, "parameterShapeIndex")),
        is_so("maybeLiveOut"),
        is_so("isTuple"),
        is_so("isConstant"),
        tuple(assigned),
    )


def _event(raw: Any) -> HeapEvent:
    """An event; its kind is left out where it is the first one, and none that is known where it makes no sense."""
    kind = member(raw, "kind")
    number = HeapEventKind.ALLOC if kind is None else _KINDS.get(kind) if isinstance(kind, str) else whole(kind)
    buffer, other = (whole(member(raw, name)) for name in ("bufferId", "shareWithCanonicalId"))
    return HeapEvent(
        -1 if number is None else int(number),
        -1 if buffer is None else buffer,
        text(member(raw, "instructionName")) or "",
        -1 if other is None else other,
    )


def _places(raw: Any) -> tuple[int, ...]:
    places = [whole(place) for place in items(raw)[:_MAX_RANK]]
    return tuple(_MAX_PLACE if place is None or place < 0 else place for place in places)


def _size(raw: Any) -> int | None:
    """Bytes; zero is left out of JSON. None: no size that can be."""
    size = 0 if raw is None else whole(raw)
    return size if size is not None and 0 <= size <= MAX_BYTES else None


def _color(raw: Any) -> int:
    return whole(member(raw, "color")) or 0
