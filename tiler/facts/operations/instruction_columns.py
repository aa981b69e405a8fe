"""What metadata says of instructions, as columns: so that sums over all of them need no row of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.details.instruction_stats import STAT
from tilescope.tiler.facts.distinct import distinct
from tilescope.tiler.facts.metadata_codes import MetadataCodes
from tilescope.tiler.facts.operations.metadata import (
    Memory,
    OperationMetadata,
    Traffic,
    program_id,
    text_of,
    traffic_of,
)

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
Exact = NDArray[Any]  # 64-bit integers, or Python's where they do not fit

_SMALL: Final = float(1 << 62)


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
        keys = [(of.program, of.symbol) for of in metadata]
        rank = np.empty(len(keys), np.int64)
        rank[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(keys))
        firsts: dict[tuple[str, int], int] = {}
        codes: dict[str, int] = {}
        category = np.array([codes.setdefault(of.category, len(codes)) for of in metadata], np.int64)
        return cls(
            exact(of.flops or 0 for of in metadata),
            exact(of.model_flops or 0 for of in metadata),
            exact(of.bytes or 0 for of in metadata),
            exact(sum(part.bytes for part in of.traffic if part.memory == Memory.HBM) for of in metadata),
            np.array([of.flops is not None for of in metadata], np.bool_),
            np.array([of.bytes is not None for of in metadata], np.bool_),
            np.array([bool(of.traffic) for of in metadata], np.bool_),
            np.array([bool(of.symbol) for of in metadata], np.bool_),
            np.array([firsts.setdefault(key, place) for place, key in enumerate(keys)], np.int64),
            rank,
            category,
            list(codes),
            _moved([of.traffic for of in metadata]),
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
            said, place = column(stat)
            known = [text(value) for value in said]
            order = sorted(set(known))
            at = {one: rank for rank, one in enumerate(order)}
            return order, np.array([at[one] for one in known], np.int64)[place]

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
        return np.array([wanted(of) for of in self.categories], np.bool_)[self.category]


def _in_order(program: Ints, symbol: Exact) -> tuple[Ints, Mask]:
    """The order of programs and symbols, in which rows that are alike stay as they are; and which begin a new pair."""
    order = np.argsort(symbol, kind="stable")
    if len(program) and int(program.max()):
        order = order[np.argsort(program[order], kind="stable")]
    is_new = np.ones(len(order), np.bool_)
    symbols, programs = symbol[order], program[order]
    is_new[1:] = (symbols[1:] != symbols[:-1]) | (programs[1:] != programs[:-1])
    return order, is_new


def _traffic(said: Sequence[object], place: Ints) -> tuple[dict[tuple[int, bool], Exact], Mask]:
    """Bytes by memory and whether it is written, and of which instructions any are told."""
    parts = [traffic_of(value) for value in said]
    columns = _moved(parts)
    return {key: of[place] for key, of in columns.items()}, np.array([bool(of) for of in parts], np.bool_)[place]


def _moved(parts: Sequence[Sequence[Traffic]]) -> dict[tuple[int, bool], Exact]:
    found: dict[tuple[int, bool], list[int]] = {}
    for place, of in enumerate(parts):
        for part in of:
            key = part.memory, part.is_write
            if key not in found:
                found[key] = [0] * len(parts)
            found[key][place] += part.bytes
    return {key: exact(moved) for key, moved in found.items()}


def sum_of_columns(columns: Sequence[Exact], size: int) -> Exact:
    """Of each row the sum: exact."""
    found: Exact = np.zeros(size, np.int64)
    for column in columns:
        largest = float(np.abs(found).max(initial=0)) + float(np.abs(column).max(initial=0))
        found = (found.astype(object) if largest >= _SMALL else found) + column
    return found


def exact(values: Iterable[int]) -> Exact:
    """A column of integers of any size."""
    values = list(values)
    try:
        return np.array(values, np.int64)
    except OverflowError:
        return np.array(values, object)


def products(of: Exact, by: Exact) -> Exact:
    """Of each row the product: exact."""
    largest = float(np.abs(of).max(initial=0)) * float(np.abs(by).max(initial=0))
    if largest >= _SMALL:
        of, by = of.astype(object), by.astype(object)
    found: Exact = of * by
    return found


def sums_of_products(rows: Ints, columns: Sequence[Exact]) -> list[list[int]]:
    """Of each column its product with each row: exact. Rows have numbers that are not negative."""
    most = rows.max(axis=0, initial=0).astype(np.float64)
    found = []
    for column in columns:
        if column.dtype == object or float((most * np.abs(column.astype(np.float64))).sum()) >= _SMALL:
            found.append([sum_of(products(row, column)) for row in rows])
        else:
            found.append((rows @ column).tolist())
    return found


def sum_of(column: Exact) -> int:
    """The sum of a column: exact."""
    if column.dtype == object or float(np.abs(column.astype(np.float64)).sum()) >= _SMALL:
        return int(sum(column.tolist()))
    return int(column.sum())
