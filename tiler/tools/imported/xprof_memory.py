"""A memory viewer page as XProf 2.x writes it: its sums, curve and buffers are worked out, and all the file has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from tilescope.tiler.facts.hlo.buffers import LogicalBuffer
from tilescope.tiler.facts.hlo.module import Instruction
from tilescope.tiler.facts.hlo.parsing import AT_ONCE, MAX_BYTES
from tilescope.tiler.facts.hlo.shapes import ValueShape
from tilescope.tiler.facts.hlo.working_space import Lifeline, Purpose
from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools.imported.json_values import items, member, number, text, whole

_PURPOSES: Final[dict[str, Purpose]] = {
    "Parameter": "parameter",
    "Output": "output",
    "Thread-local": "thread-local",
    "Constant": "constant",
}
_ATTRIBUTES: Final = {"entry computation parameter": "parameter", "may-be live out": "output"}
_MAX_ATTRIBUTES: Final = 16


@dataclass(frozen=True, slots=True)
class _Keys:
    """Keys of a table of buffers, of two; `size_of` gives the bytes of a value, -1 where it is no size that can be."""

    size: str
    unpadded: str
    name: str
    purpose: str
    size_of: Callable[[Any], int]


@dataclass(frozen=True, slots=True)
class WrittenShape:
    """A shape as the file writes it: "f32[8,128]{1,0:T(8,128)}"."""

    text: str


@dataclass(frozen=True, slots=True)
class XprofAllocation:
    """Memory that lives as long as the program; `purposes` are empty where the file names none."""

    index: int
    size: int
    purposes: tuple[str, ...]
    count: int  # buffers in it


@dataclass(frozen=True, slots=True)
class XprofMemory:
    """Use of a memory space by a program, as a `MemoryUse`; bytes."""

    module: str
    entry: str
    heap: tuple[int, ...]
    unpadded: tuple[int, ...]
    events: tuple[str, ...]
    position: int
    peak: int
    peak_unpadded: int
    parameters: int
    outputs: int
    total: int
    indefinite: int
    not_reusable: int
    at_peak: tuple[Lifeline, ...]
    others: tuple[Lifeline, ...]  # of the curve, where the file has their sizes
    allocations: tuple[XprofAllocation, ...]
    small: int  # of buffers at the peak that the file has as one
    without_size: int  # buffers that the curve counts, and of which the file has no size
    left_out: int  # values without a number or a size that can be

    @property
    def constants(self) -> None:
        """None: the file does not tell them from other memory that stays."""

    @property
    def thread_local(self) -> int:
        """Zero: the file has none of these."""
        return 0


def is_xprof_memory(parsed: Any) -> bool:
    """True of a page of XProf's: the older ones have the module and its buffers."""
    return not any(isinstance(member(parsed, key), dict) for key in ("hloModule", "bufferAssignment"))


def xprof_memory(parsed: Any) -> Interruptible[XprofMemory]:
    """The content of a page."""
    heap = yield from _curve(member(parsed, "heapSizes"))
    unpadded = yield from _curve(member(parsed, "unpaddedHeapSizes"))
    left_out = 0
    if len(heap) != len(unpadded) or min((*heap, *unpadded), default=0) < 0:  # a curve with a hole is none
        heap, unpadded, left_out = (), (), 1
    position = whole(member(parsed, "peakHeapSizePosition") or 0)  # zero is left out of JSON
    position = -1 if position is None or not 0 <= position < len(heap) else position
    spans = yield from _spans(member(parsed, "logicalBufferSpans"), len(heap))
    at_peak: dict[int, Lifeline] = {}
    others: dict[int, Lifeline] = {}
    small = 0
    for count, (raw, keys) in enumerate(_rows(parsed)):
        if count % AT_ONCE == 0:
            yield
        buffer_id, size = whole(member(raw, "logicalBufferId") or 0), keys.size_of(member(raw, keys.size))
        if buffer_id is None or size < 0:
            left_out += 1
        elif buffer_id < 0:  # small ones together, or the allocation of temporary values
            small += size if keys is _PEAK else 0
        elif keys is _PEAK:
            span = spans.get(buffer_id, (-1, max(len(heap) - 1, 0)))
            at_peak.setdefault(buffer_id, _lifeline(raw, keys, buffer_id, size, span, is_at_peak=True))
        elif buffer_id in spans and buffer_id not in at_peak:
            first, last = spans[buffer_id]
            line = _lifeline(raw, keys, buffer_id, size, (first, last), is_at_peak=first <= position < last)
            others.setdefault(buffer_id, line)
    allocations: list[XprofAllocation] = []
    raw_allocations = items(member(parsed, "indefiniteLifetimes"))
    for count, raw in enumerate(raw_allocations):
        if count % AT_ONCE == 0:
            yield
        allocation = _allocation(raw)
        if allocation is not None:
            allocations.append(allocation)

    def sum_of(key: str) -> int:
        return max(_mib(member(parsed, key)), 0)

    return XprofMemory(
        text(member(parsed, "moduleName")) or "the program",
        text(member(parsed, "entryComputationName")) or "",
        heap,
        unpadded,
        tuple(text(name) or "" for name in items(member(parsed, "hloInstructionNames"))[: len(heap)]),
        position,
        sum_of("peakHeapMib"),
        sum_of("peakUnpaddedHeapMib"),
        sum_of("entryComputationParametersMib"),
        sum_of("maybeLiveOutMib"),
        sum_of("totalBufferAllocationMib"),
        sum_of("indefiniteBufferAllocationMib"),
        sum_of("nonReusableMib"),
        tuple(at_peak.values()),
        tuple(others.values()),
        tuple(allocations),
        small,
        len(spans.keys() - at_peak.keys() - others.keys()),
        left_out + len(raw_allocations) - len(allocations),
    )


def _rows(parsed: Any) -> Iterator[tuple[Any, _Keys]]:
    """Buffers at the peak, then those of the curve, which new files have with the places where they lie."""
    yield from ((raw, _PEAK) for raw in items(member(parsed, "maxHeap")))
    yield from ((raw, _BLOCK) for raw in items(member(parsed, "bufferBlocks")))


def _curve(raw: Any) -> Interruptible[tuple[int, ...]]:
    points: list[int] = []
    for size in items(raw):
        if len(points) % AT_ONCE == 0:
            yield
        points.append(_mib(size))
    return tuple(points)


def _spans(raw: Any, n_points: int) -> Interruptible[dict[int, tuple[int, int]]]:
    """By buffer the event that makes it, and the last point at which it is there."""
    spans: dict[int, tuple[int, int]] = {}
    for count, (key, span) in enumerate(raw.items() if isinstance(raw, dict) and n_points else ()):
        if count % AT_ONCE == 0:
            yield
        buffer_id = whole(key)
        if buffer_id is not None:
            first, last = (min(max(whole(member(span, name)) or 0, 0), n_points - 1) for name in ("start", "limit"))
            spans[buffer_id] = first, max(first, last)
    return spans


def _lifeline(raw: Any, keys: _Keys, buffer_id: int, size: int, span: tuple[int, int], *, is_at_peak: bool) -> Lifeline:
    name, shape = text(member(raw, keys.name)) or "", text(member(raw, "shapeString"))
    unpadded = keys.size_of(member(raw, keys.unpadded))
    instruction = Instruction(
        0,
        name,
        text(member(raw, "opCode")) or "",
        ValueShape(),
        op_name=text(member(raw, "tfOpName")) or "",
        source_file=text(member(raw, "sourceInfo", "fileName")) or "",
        source_line=whole(member(raw, "sourceInfo", "lineNumber")) or 0,
    )
    return Lifeline(
        LogicalBuffer(buffer_id, size, 0, name, (), 0),
        _PURPOSES.get(text(member(raw, keys.purpose)) or "", "temporary"),
        min(unpadded, size) if unpadded > 0 else size,
        *span,
        is_at_peak,
        instruction,
        None if shape is None else WrittenShape(shape),
    )


def _allocation(raw: Any) -> XprofAllocation | None:
    index, size = whole(member(raw, "id") or 0), _mib(member(raw, "sizeMib") or 0)
    if not isinstance(raw, dict) or index is None or size < 0:
        return None
    attributes = {text(attribute) for attribute in items(raw.get("attributes"))[:_MAX_ATTRIBUTES]}
    purposes = tuple(purpose for attribute, purpose in _ATTRIBUTES.items() if attribute in attributes)
    return XprofAllocation(index, size, purposes, len(items(raw.get("logicalBuffers"))))


def _mib(raw: Any) -> int:
    """Bytes that are written in MiB, which is exact up to 2^53 of them; -1: no size that can be."""
    amount = number(raw)
    return round(amount * (1 << 20)) if amount is not None and 0 <= amount <= MAX_BYTES >> 20 else -1


def _whole_bytes(raw: Any) -> int:
    size = whole(raw)
    return size if size is not None and 0 <= size <= MAX_BYTES else -1


_PEAK: Final = _Keys("logicalBufferSizeMib", "unpaddedShapeMib", "instructionName", "groupName", _mib)
_BLOCK: Final = _Keys("size", "unpaddedSize", "name", "category", _whole_bytes)
