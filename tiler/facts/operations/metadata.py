"""What the metadata of operations says of them: of all that are alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.details.instruction_stats import LONG_NAME, NAME, STAT
from tilescope.tiler.details.xstat_tables import XStatTables
from tilescope.tiler.facts.distinct import distinct
from tilescope.tiler.facts.metadata_codes import MetadataCodes, metadata_codes
from tilescope.tiler.query import QueryReader
from tilescope.tiler.records.device.operations import OperationKind

T = TypeVar("T")

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


def operation_metadata(reader: QueryReader, file: int, tables: XStatTables, kind: OperationKind) -> OperationMetadata:
    """What is known of a kind of operations of a file. Raises DamagedStore."""
    codes = metadata_codes(reader)
    return metadata_of_row(codes, codes.row(file, tables, kind.metadata, kind.stats))


def metadata_of_row(codes: MetadataCodes, row: int) -> OperationMetadata:
    """What a row of codes says."""
    return metadata_of_rows(codes, np.array([row], np.int64))[0]


def metadata_of_rows(codes: MetadataCodes, rows: NDArray[np.int64]) -> list[OperationMetadata]:
    """What some rows of codes say. What several say is made once."""
    of = codes.matrix[rows]

    def column(at: int, made: Callable[[object], T]) -> list[T]:
        used, place = distinct(of[:, at])
        values = [made(value) for value in codes.values.of(used)]
        return [values[one] for one in place.tolist()]

    used, name = distinct(of[:, NAME])
    texts = codes.names(used)
    names = [texts[one] for one in name.tolist()]
    flops, model_flops = column(STAT["flops"], integer_of), column(STAT["model_flops"], integer_of)
    columns = zip(
        column(STAT["program_id"], lambda value: program_id(text_of(value))),
        column(STAT["symbol_id"], lambda value: integer_of(value) or 0),
        names,
        [expression or name for expression, name in zip(column(LONG_NAME, text_of), names, strict=True)],
        column(STAT["hlo_category"], text_of),
        column(STAT["tf_op"], text_of),
        flops,
        [whole if own is None else own for own, whole in zip(model_flops, flops, strict=True)],
        column(STAT["bytes_accessed"], integer_of),
        column(STAT["memory_access_breakdown"], traffic_of),
        column(STAT["source"], text_of),
        column(STAT["source_stack"], text_of),
        column(STAT["shape_with_layout"], text_of),
        column(STAT["deduplicated_name"], text_of),
        strict=True,
    )
    return [OperationMetadata(*each) for each in columns]


def program_id(told: str) -> str:
    """The id of a program, which is unsigned; some traces have it as a signed number."""
    return str(int(told) + (1 << 64)) if told.startswith("-") and told[1:].isdecimal() else told


def text_of(value: object) -> str:
    """A stat as a text."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return "" if value is None else str(value)


def integer_of(value: object) -> int | None:
    """A stat as a number that is not negative; None: it is none."""
    return value if isinstance(value, int) and value >= 0 else None


def traffic_of(value: object) -> tuple[Traffic, ...]:
    """A message: field 1, repeated, has the operation (2 write), the memory and the bytes."""
    if not isinstance(value, bytes | str):
        return ()
    raw = value if isinstance(value, bytes) else value.encode("utf-8", "surrogateescape")
    try:
        return tuple(Traffic(memory, what == _WRITE, moved) for what, memory, moved in _native.memory_traffic(raw))
    except ValueError:
        return ()


_WRITE: Final = 2
