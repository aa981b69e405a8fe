"""Metadata of instructions as the trace has it, of XLA: single records, and columns of all instructions at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.details.instruction_stats import LONG_NAME, NAME, STAT
from tilescope.tiler.details.xstat_tables import XStatTables
from tilescope.tiler.facts.distinct import distinct
from tilescope.tiler.facts.metadata_codes import MetadataCodes, metadata_codes
from tilescope.tiler.facts.operations.exact_columns import Exact, Ints, Mask, exact, sum_of_columns
from tilescope.tiler.facts.operations.operation import Memory, OperationMetadata, Traffic
from tilescope.tiler.query import QueryReader
from tilescope.tiler.records.device.operations import OperationKind

T = TypeVar("T")

CUSTOM_CALL: Final = "custom-call"  # the category of operations whose events may say themselves what they do


def operation_metadata(reader: QueryReader, file: int, tables: XStatTables, kind: OperationKind) -> OperationMetadata:
    """What is known of a kind of operations of a file. Raises DamagedStore."""
    codes = metadata_codes(reader)
    return metadata_of_row(codes, codes.row(file, tables, kind.metadata, kind.stats))


def metadata_of_row(codes: MetadataCodes, row: int) -> OperationMetadata:
    """What a row of codes says."""
    return metadata_of_rows(codes, np.array([row], np.int64))[0]


def metadata_of_rows(codes: MetadataCodes, rows: NDArray[np.int64]) -> list[OperationMetadata]:
    """What some rows of codes say. What several say is made once."""
    matrix = codes.matrix[rows]

    def column(number: int, made: Callable[[object], T]) -> list[T]:
        used, place = distinct(matrix[:, number])
        values = [made(value) for value in codes.values.of(used)]
        return [values[row_place] for row_place in place.tolist()]

    used, name = distinct(matrix[:, NAME])
    texts = codes.names(used)
    names = [texts[name_place] for name_place in name.tolist()]
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


def program_id(text: str) -> str:
    """The id of a program, which is unsigned; some traces have it as a signed number."""
    return str(int(text) + (1 << 64)) if text.startswith("-") and text[1:].isdecimal() else text


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


@dataclass(frozen=True, slots=True)
class InstructionColumns:
    """A row for each instruction; numbers are of one time that it runs, 0 where they are not known."""

    flops: Exact
    model_flops: Exact
    bytes: Exact
    hbm: Exact  # bytes of which the trace says that they go to the device's memory, or come from it
    tells_flops: Mask  # whether the trace says how much it computes
    tells_bytes: Mask
    tells_memory: Mask  # whether it says of any bytes which memory they belong to
    has_symbol: Mask
    first: Ints  # the first row that is of the same instruction of the same program
    rank: Ints  # in the order of programs and instructions
    category: Ints  # its place in `categories`
    categories: Sequence[str]
    traffic: Mapping[tuple[int, bool], Exact]  # bytes by memory and whether it is written

    @classmethod
    def of(cls, metadata: Sequence[OperationMetadata]) -> InstructionColumns:
        """Those of some instructions."""
        keys = [(each.program, each.symbol) for each in metadata]
        rank = np.empty(len(keys), np.int64)
        rank[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(keys))
        firsts: dict[tuple[str, int], int] = {}
        codes: dict[str, int] = {}
        category = np.array([codes.setdefault(each.category, len(codes)) for each in metadata], np.int64)
        return cls(
            exact(each.flops or 0 for each in metadata),
            exact(each.model_flops or 0 for each in metadata),
            exact(each.bytes or 0 for each in metadata),
            exact(sum(part.bytes for part in each.traffic if part.memory == Memory.HBM) for each in metadata),
            np.array([each.flops is not None for each in metadata], np.bool_),
            np.array([each.bytes is not None for each in metadata], np.bool_),
            np.array([bool(each.traffic) for each in metadata], np.bool_),
            np.array([bool(each.symbol) for each in metadata], np.bool_),
            np.array([firsts.setdefault(key, place) for place, key in enumerate(keys)], np.int64),
            rank,
            category,
            list(codes),
            _moved([each.traffic for each in metadata]),
        )

    @classmethod
    def of_rows(cls, codes: MetadataCodes, rows: Ints) -> InstructionColumns:
        """Those of some rows of metadata."""
        matrix, values = codes.matrix[rows], codes.values

        def column(stat: str) -> tuple[Sequence[object], Ints]:
            used, place = distinct(matrix[:, STAT[stat]])
            return values.of(used), place

        def numbers(stat: str) -> tuple[Exact, Mask]:
            return values.numbers(np.ascontiguousarray(matrix[:, STAT[stat]]))

        def texts(stat: str, text: Callable[[object], str]) -> tuple[list[str], Ints]:
            """In alphabetical order, each once."""
            said_values, place = column(stat)
            each_text = [text(value) for value in said_values]
            order = sorted(set(each_text))
            ranks = {word: rank for rank, word in enumerate(order)}
            return order, np.array([ranks[word] for word in each_text], np.int64)[place]

        flops, tells_flops = numbers("flops")
        model_flops, tells_model = numbers("model_flops")
        moved, tells_bytes = numbers("bytes_accessed")
        symbol, _ = numbers("symbol_id")
        _, program = texts("program_id", lambda value: program_id(text_of(value)))
        order, is_new = _in_order(program, symbol)
        rank, first = np.empty(len(rows), np.int64), np.empty(len(rows), np.int64)
        rank[order] = np.arange(len(rows))
        first[order] = order[np.flatnonzero(is_new)][np.cumsum(is_new) - 1]
        categories, category = texts("hlo_category", text_of)
        traffic, tells_memory = _traffic(*column("memory_access_breakdown"))
        hbm = [column for (memory, _), column in traffic.items() if memory == Memory.HBM]
        return cls(
            flops,
            np.where(tells_model, model_flops, flops),
            moved,
            sum_of_columns(hbm, len(rows)),
            tells_flops,
            tells_bytes,
            tells_memory,
            symbol != 0,
            first,
            rank,
            category,
            categories,
            traffic,
        )

    def __len__(self) -> int:
        return len(self.rank)

    def are(self, wanted: Callable[[str], bool]) -> Mask:
        """Which instructions are of categories that are wanted."""
        return np.array([wanted(category) for category in self.categories], np.bool_)[self.category]


def _in_order(program: Ints, symbol: Exact) -> tuple[Ints, Mask]:
    """The order of programs and symbols, in which rows that are alike stay as they are; and which begin a new pair."""
    order = np.argsort(symbol, kind="stable")
    if len(program) and int(program.max()):
        order = order[np.argsort(program[order], kind="stable")]
    is_new = np.ones(len(order), np.bool_)
    symbols, programs = symbol[order], program[order]
    is_new[1:] = (symbols[1:] != symbols[:-1]) | (programs[1:] != programs[:-1])
    return order, is_new


def _traffic(values: Sequence[object], place: Ints) -> tuple[dict[tuple[int, bool], Exact], Mask]:
    """Bytes by memory and whether it is written, and of which instructions any are told."""
    parts = [traffic_of(value) for value in values]
    columns = _moved(parts)
    return {key: moved[place] for key, moved in columns.items()}, np.array([bool(part) for part in parts], np.bool_)[
        place
    ]


def _moved(parts: Sequence[Sequence[Traffic]]) -> dict[tuple[int, bool], Exact]:
    columns: dict[tuple[int, bool], list[int]] = {}
    for place, traffic in enumerate(parts):
        for part in traffic:
            key = part.memory, part.is_write
            if key not in columns:
                columns[key] = [0] * len(parts)
            columns[key][place] += part.bytes
    return {key: exact(moved) for key, moved in columns.items()}
