"""What the metadata of operations says of them: of all that are alike."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from enum import IntEnum
from hashlib import blake2b
from typing import Final
from weakref import WeakKeyDictionary

from tilescope.tiler import _native
from tilescope.tiler.details.xstat_tables import PlaneNames, XStatTables
from tilescope.tiler.pages.operations import OperationKind
from tilescope.tiler.query import QueryReader

NO_PROGRAM: Final = ""
CUSTOM_CALL: Final = "custom-call"  # the category of operations whose events may say themselves what they do


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

    @property
    def is_recomputed(self) -> bool:
        """Whether it computes again what there was before, to save memory: names say so, of XLA and of JAX."""
        return ".remat" in self.name or "rematted_computation" in self.framework

    @property
    def is_outside(self) -> bool:
        """Whether it exchanges values with what the host computes for the program (outside compilation)."""
        return self.framework.endswith(_OF_HOST) or "is_host_transfer=true" in self.expression


_OF_HOST: Final = (":XlaSendToHost", ":XlaRecvFromHost")


class _Known:
    """Of a run: what was read. Hosts that run one program say the same of its instructions: that is read once."""

    def __init__(self) -> None:
        self.of_number: dict[tuple[int, int], OperationMetadata] = {}  # by file
        self._of_content: dict[tuple[int, int | str, str, bytes], OperationMetadata] = {}
        self._names: dict[frozenset[tuple[int, str]], int] = {}  # of stats: those of planes that have the same
        self._of_planes: dict[tuple[int, int], int] = {}  # by file

    def read(self, reader: QueryReader, file: int, tables: XStatTables, number: int) -> OperationMetadata:
        """What is known of the metadata of this number."""
        entry = tables.entry(number)
        plane = file, entry.plane
        if plane not in self._of_planes:
            names = frozenset(tables.planes[entry.plane].stat_names.items())
            self._of_planes[plane] = self._names.setdefault(names, len(self._names))
        name = int(tables.name[number])
        stats = blake2b(entry.stats, digest_size=20).digest()
        key = self._of_planes[plane], name if name >= 0 else entry.name, entry.long_name, stats
        found = self._of_content.get(key)
        if found is None:
            found = self._of_content[key] = _metadata(reader, tables, OperationKind(number))
        return found


_KNOWN: WeakKeyDictionary[QueryReader, _Known] = WeakKeyDictionary()


def operation_metadata(reader: QueryReader, file: int, tables: XStatTables, kind: OperationKind) -> OperationMetadata:
    """What is known of a kind of operations of a file. Raises DamagedStore."""
    if kind.stats or not 0 <= kind.metadata < len(tables):
        return _metadata(reader, tables, kind)
    known = _KNOWN.setdefault(reader, _Known())
    # Planes of cores have the same of each instruction.
    first = int(tables.alike[kind.metadata])
    if (file, first) not in known.of_number:
        known.of_number[file, first] = known.read(reader, file, tables, first)
    return known.of_number[file, first]


_TEXTS: Final = (
    "program_id",
    "hlo_category",
    "tf_op",
    "source",
    "source_stack",
    "shape_with_layout",
    "deduplicated_name",
)
_INTEGERS: Final = ("symbol_id", "flops", "model_flops", "bytes_accessed")
_BREAKDOWN: Final = "memory_access_breakdown"
_WANTED: Final = (*_TEXTS, *_INTEGERS, _BREAKDOWN)


_READERS: WeakKeyDictionary[XStatTables, dict[int, _native.ChosenStats]] = WeakKeyDictionary()


def _wanted_of(tables: XStatTables, plane: int) -> _native.ChosenStats:
    """What reads the stats of metadata of a plane."""
    known = _READERS.setdefault(tables, {})
    if plane not in known:
        ids: dict[str, list[int]] = {}
        for stat, name in tables.planes[plane].stat_names.items():
            ids.setdefault(name, []).append(stat)
        known[plane] = _native.ChosenStats([ids.get(name, []) for name in _WANTED])
    return known[plane]


def _metadata(reader: QueryReader, tables: XStatTables, kind: OperationKind) -> OperationMetadata:
    name = expression = ""
    values: list[object] = [None] * len(_WANTED)
    if kind.metadata >= 0:
        entry = tables.entry(kind.metadata)
        number = int(tables.name[kind.metadata])
        name = reader.names[number].text if number >= 0 else entry.name
        expression = entry.long_name
        plane = tables.planes[entry.plane]
        with suppress(ValueError):  # damaged stats: none of them is known
            values = [_named(value, plane) for value in _wanted_of(tables, entry.plane).read(entry.stats)]
    if kind.stats:
        values = [kind.stats.get(name, value) for name, value in zip(_WANTED, values, strict=True)]
    program, category, framework, source, stack, shape, duplicate = map(_text, values[: len(_TEXTS)])
    symbol, flops, model_flops, moved = map(_integer, values[len(_TEXTS) : -1])
    return OperationMetadata(
        program=program_id(program),
        symbol=symbol or 0,
        name=name,
        expression=expression or name,
        category=category,
        framework=framework,
        flops=flops,
        model_flops=flops if model_flops is None else model_flops,
        bytes=moved,
        traffic=_traffic(values[-1]),
        source=source,
        source_stack=stack,
        shape=shape,
        duplicate_of=duplicate,
    )


def program_id(told: str) -> str:
    """The id of a program, which is unsigned; some traces have it as a signed number."""
    return str(int(told) + (1 << 64)) if told.startswith("-") and told[1:].isdecimal() else told


def _named(value: object, plane: PlaneNames) -> object:
    """A reference is the name of a stat."""
    if isinstance(value, tuple):
        (number,) = value
        return plane.stat_names.get(number) or f"[stat {number}]"
    return value


def _text(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return "" if value is None else str(value)


def _integer(value: object) -> int | None:
    return value if isinstance(value, int) and value >= 0 else None


def _traffic(value: object) -> tuple[Traffic, ...]:
    """A message: field 1, repeated, has the operation (2 write), the memory and the bytes."""
    if not isinstance(value, bytes | str):
        return ()
    raw = value if isinstance(value, bytes) else value.encode("utf-8", "surrogateescape")
    try:
        return tuple(Traffic(memory, what == _WRITE, moved) for what, memory, moved in _native.memory_traffic(raw))
    except ValueError:
        return ()


_WRITE: Final = 2
