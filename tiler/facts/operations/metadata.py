"""What the metadata of operations says of them: of all that are alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Final
from weakref import WeakKeyDictionary

from tilescope.tiler.details.typed_stats import Stat
from tilescope.tiler.details.wire import WireDamage, fields
from tilescope.tiler.details.xstat_tables import XStatTables
from tilescope.tiler.pages.operations import OperationKind, StatValue
from tilescope.tiler.query import QueryReader

NO_PROGRAM: Final = ""


class Memory(IntEnum):
    """Where bytes are moved from or to."""

    HBM = 1
    CMEM = 2
    VMEM = 3


@dataclass(frozen=True, slots=True)
class Traffic:
    """Bytes that an operation reads from a memory, or writes to it."""

    memory: int  # Memory, or what else the trace says
    is_write: bool
    bytes: int


@dataclass(frozen=True, slots=True)
class OperationMetadata:
    """Of the operations that one instruction of a program makes. A number is None where the trace has none."""

    program: str  # its id, decimal; "" unknown
    symbol: int  # the instruction in the program; 0 none
    name: str  # of the instruction: "fusion.3"
    expression: str  # as HLO text
    category: str
    framework: str  # path in the framework's terms: "jit(step)/jvp(main)/conv1/add:"
    flops: int | None
    model_flops: int | None  # without what was recomputed; those that there are where the trace does not say
    bytes: int | None
    traffic: tuple[Traffic, ...]
    source: str  # "train.py:43"
    source_stack: str
    shape: str
    duplicate_of: str  # the instruction that it is a copy of

    @property
    def provenance(self) -> str:
        """The path in the framework's terms, without the type that follows it."""
        return self.framework.split(":", 1)[0]


_KNOWN: WeakKeyDictionary[QueryReader, dict[tuple[int, int], OperationMetadata]] = WeakKeyDictionary()


def operation_metadata(reader: QueryReader, file: int, tables: XStatTables, kind: OperationKind) -> OperationMetadata:
    """What is known of a kind of operations of a file. Raises DamagedStore."""
    if kind.stats or kind.metadata < 0:
        return _metadata(reader, tables, kind)
    known = _KNOWN.setdefault(reader, {})
    if (file, kind.metadata) not in known:
        known[file, kind.metadata] = _metadata(reader, tables, kind)
    return known[file, kind.metadata]


def _metadata(reader: QueryReader, tables: XStatTables, kind: OperationKind) -> OperationMetadata:
    stats: dict[str, Stat] = {}
    name = expression = ""
    if kind.metadata >= 0:
        entry = tables.entry(kind.metadata)
        number = int(tables.name[kind.metadata])
        name = reader.names[number].text if number >= 0 else entry.name
        expression = entry.long_name
        try:
            stats = {stat.name: stat for stat in tables.stats(kind.metadata)}
        except WireDamage:
            stats = {}
    of = _Stats(stats, kind.stats)
    flops = of.integer("flops")
    return OperationMetadata(
        program=of.text("program_id"),
        symbol=of.integer("symbol_id") or 0,
        name=name,
        expression=expression or name,
        category=of.text("hlo_category"),
        framework=of.text("tf_op"),
        flops=flops,
        model_flops=flops if (model := of.integer("model_flops")) is None else model,
        bytes=of.integer("bytes_accessed"),
        traffic=_traffic(stats.get("memory_access_breakdown")),
        source=of.text("source"),
        source_stack=of.text("source_stack"),
        shape=of.text("shape_with_layout"),
        duplicate_of=of.text("deduplicated_name"),
    )


class _Stats:
    """Those of events come before those of their metadata."""

    def __init__(self, shared: Mapping[str, Stat], own: Mapping[str, StatValue]) -> None:
        self._shared = shared
        self._own = own

    def _value(self, name: str) -> object:
        if name in self._own:
            return self._own[name]
        stat = self._shared.get(name)
        return None if stat is None else stat.value

    def text(self, name: str) -> str:
        value = self._value(name)
        if isinstance(value, bytes):
            return value.decode("utf-8", "replace")
        return "" if value is None else str(value)

    def integer(self, name: str) -> int | None:
        value = self._value(name)
        return value if isinstance(value, int) and value >= 0 else None


def _traffic(stat: Stat | None) -> tuple[Traffic, ...]:
    """A message: field 1, repeated, has the operation (2 write), the memory and the bytes."""
    if stat is None or not isinstance(stat.value, bytes | str):
        return ()
    raw = stat.value if isinstance(stat.value, bytes) else stat.value.encode("utf-8", "surrogateescape")
    found = []
    try:
        for field in fields(raw):
            if field.number == 1 and isinstance(field.value, bytes):
                parts = {part.number: part.value for part in fields(field.value) if isinstance(part.value, int)}
                found.append(Traffic(parts.get(2, 0), parts.get(1, 0) == _WRITE, parts.get(3, 0)))
    except WireDamage:
        return ()
    return tuple(found)


_WRITE: Final = 2
