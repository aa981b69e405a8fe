"""A memory viewer page: the buffers of an HLO module, and how much is in use as its program goes on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

from tilescope.tiler.count_text import plural
from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Series, Table
from tilescope.tiler.tools.imported.json_values import SHOWN_ROWS, items, member, text, whole
from tilescope.tiler.tools.imported.xprof_memory import is_xprof_memory, xprof_memory

# Bytes of an element, by its type.
_ELEMENT_BYTES: Final[Mapping[str, int]] = {
    **dict.fromkeys(("PRED", "S8", "U8"), 1),
    **dict.fromkeys(("S16", "U16", "F16", "BF16"), 2),
    **dict.fromkeys(("S32", "U32", "F32"), 4),
    **dict.fromkeys(("S64", "U64", "F64", "C64"), 8),
    "C128": 16,
}
_ALLOC: Final = (None, "ALLOC", 0)  # zero is left out of JSON
_FREE: Final = ("FREE", 1)
_MAX_RANK: Final = 64  # no array has more dimensions, and many buffers can be of one shape
_FLAGS: Final = (
    ("isEntryComputationParameter", "parameter"),
    ("maybeLiveOut", "output"),
    ("isConstant", "constant"),
    ("isThreadLocal", "thread-local"),
)


def buffers_answer(parsed: Any, _tick_ps: int) -> Interruptible[Answer]:
    """Its buffers with what they take without padding, and the curve of the heap."""
    return (yield from (_of_xprof if is_xprof_memory(parsed) else _of_program)(parsed))


def _of_xprof(parsed: Any) -> Interruptible[Answer]:
    memory = yield from xprof_memory(parsed)
    lines = [*memory.at_peak, *memory.others]
    notes = []
    if len(lines) > SHOWN_ROWS:
        notes.append(Note("warning", f"only {SHOWN_ROWS:,} of {len(lines):,} buffers are shown"))
        lines = lines[:SHOWN_ROWS]
    made_by = [line.instruction for line in lines]
    columns = [
        Column("instruction", "Instruction", "name", [line.buffer.instruction_name for line in lines]),
        Column("opcode", "Opcode", "text", [None if made is None else made.opcode or None for made in made_by]),
        Column("size", "Size", "bytes", [line.buffer.size for line in lines]),
        Column("unpadded", "Unpadded", "bytes", [line.unpadded for line in lines]),
        Column("kind", "Allocation", "text", [line.purpose for line in lines]),
        Column("tf_op", "Framework op", "text", [None if made is None else made.op_name or None for made in made_by]),
    ]
    facts = [
        Fact("module", "Module", memory.module, "text"),
        Fact("entry", "Entry computation", memory.entry or None, "text"),
        Fact("peak", "Peak of the heap", memory.peak, "bytes"),
        Fact("allocated", "All allocations", memory.total, "bytes"),
    ]
    if memory.left_out:
        words = plural(memory.left_out, "buffer, allocation or curve", "buffers, allocations and curves")
        notes.append(Note("warning", f"{words} with an impossible number or size: left out"))
    return Answer(facts, [Table("buffers", "Buffers", columns)], _series(list(enumerate(memory.heap))), notes)


def _of_program(parsed: Any) -> Interruptible[Answer]:
    module = member(parsed, "hloModule")
    assignment = member(parsed, "bufferAssignment")
    instructions = {
        str(member(instruction, "name")): instruction
        for computation in items(member(module, "computations"))
        for instruction in items(member(computation, "instructions"))
    }
    yield
    allocations = {
        str(member(assigned, "logicalBufferId")): allocation
        for allocation in items(member(assignment, "bufferAllocations"))
        for assigned in items(member(allocation, "assigned"))
    }
    yield
    buffers = items(member(assignment, "logicalBuffers"))
    sizes = {str(member(buffer, "id")): whole(member(buffer, "size")) for buffer in buffers}
    notes = []
    if len(buffers) > SHOWN_ROWS:
        notes.append(Note("warning", f"only {SHOWN_ROWS:,} of {len(buffers):,} buffers are shown"))
        buffers = buffers[:SHOWN_ROWS]
    yield
    names = [text(member(buffer, "definedAt", "instructionName")) for buffer in buffers]
    made_by = [instructions.get(name or "") for name in names]
    columns = [
        Column("instruction", "Instruction", "name", [name or "" for name in names]),
        Column("opcode", "Opcode", "text", [text(member(instruction, "opcode")) for instruction in made_by]),
        Column("size", "Size", "bytes", [sizes[str(member(buffer, "id"))] for buffer in buffers]),
        Column(
            "unpadded",
            "Unpadded",
            "bytes",
            [_unpadded(buffer, instruction) for buffer, instruction in zip(buffers, made_by, strict=True)],
        ),
        Column("kind", "Allocation", "text", [_kind(allocations.get(str(member(buffer, "id")))) for buffer in buffers]),
        Column(
            "tf_op",
            "Framework op",
            "text",
            [text(member(instruction, "metadata", "opName")) or None for instruction in made_by],
        ),
    ]
    yield
    curve, unknown = _curve(assignment, sizes)
    yield
    peak = max((in_use for _, in_use in curve), default=None)
    why = "" if curve else "the file has no trace of the heap"
    facts = [
        Fact("module", "Module", text(member(module, "name")), "text"),
        Fact("entry", "Entry computation", text(member(module, "entryComputationName")), "text"),
        Fact("peak", "Peak of the heap", peak, "bytes", why),
        Fact(
            "allocated",
            "All allocations",
            sum(
                whole(member(allocation, "size")) or 0 for allocation in items(member(assignment, "bufferAllocations"))
            ),
            "bytes",
        ),
    ]
    if unknown:
        notes.append(Note("warning", f"{plural(unknown, 'event', 'events')} of the heap without a buffer in the file"))
    return Answer(facts, [Table("buffers", "Buffers", columns)], _series(curve), notes)


def _curve(assignment: Any, sizes: Mapping[str, int | None]) -> tuple[list[tuple[int, int]], int]:
    """Place in the program and bytes in use, of the trace with most events; and how many events make no sense."""
    traces = [items(member(trace, "events")) for trace in items(member(assignment, "heapSimulatorTraces"))]
    in_use, unknown, curve = 0, 0, []
    longest: list[Any] = max(traces, key=lambda events: len(events), default=[])
    for place, event in enumerate(longest):
        size, kind = sizes.get(str(member(event, "bufferId"))), member(event, "kind")
        if size is None:
            unknown += 1
        elif kind in _ALLOC:
            in_use += size
        elif kind in _FREE:
            in_use -= size
        curve.append((place, in_use))
    return curve, unknown


def _series(curve: list[tuple[int, int]]) -> list[Series]:
    if not curve:
        return []
    x = Column("place", "Program order", "count", [place for place, _ in curve])
    return [
        Series("heap", "Heap in use", "line", x, [Column("in_use", "In use", "bytes", [used for _, used in curve])])
    ]


def _unpadded(buffer: Any, instruction: Any) -> int | None:
    """Bytes of the elements themselves; None for tuples and for unknown types."""
    shape = member(instruction, "shape")
    for place in items(member(buffer, "definedAt", "shapeIndex")):
        index, parts = whole(place), items(member(shape, "tupleShapes"))
        shape = parts[index] if index is not None and 0 <= index < len(parts) else None
    element = _ELEMENT_BYTES.get(str(member(shape, "elementType")))
    dimensions = [whole(size) for size in items(member(shape, "dimensions"))[:_MAX_RANK]]
    if element is None or any(size is None for size in dimensions):
        return None
    return element * math.prod(size for size in dimensions if size is not None)


def _kind(allocation: Any) -> str | None:
    if allocation is None:
        return None
    return ", ".join(word for flag, word in _FLAGS if member(allocation, flag) is True) or "temporary"
