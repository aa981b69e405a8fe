"""Operations of devices as the framework calls them: all instructions that come from one of its operations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from tilescope.tiler.caches import KeyedCache, Memo
from tilescope.tiler.details.instruction_stats import NAME, STAT
from tilescope.tiler.distinct import distinct
from tilescope.tiler.facts.host_operations.naming import ITERATOR, framework_op
from tilescope.tiler.facts.metadata_codes import Codes, MetadataCodes
from tilescope.tiler.facts.operations.exact_columns import Exact, Ints, Mask, sum_of
from tilescope.tiler.facts.operations.operation import Operation, OperationMetadata
from tilescope.tiler.facts.operations.operation_table import OpRows, OpTable, some_of
from tilescope.tiler.facts.operations.rates import Peaks, Rates, rates_of
from tilescope.tiler.facts.operations.xla_instructions import InstructionPlaces, text_of
from tilescope.tiler.overloads import overload
from tilescope.tiler.size_estimate import estimated_bytes

_SMALL: Final = 1 << 62


@dataclass(slots=True)
class FrameworkOperation:
    """`sums` are those of all its instructions; they occur as often as the most frequent of them does."""

    name: str  # the path in the framework's terms; that of the instruction where it has none
    type: str
    sums: Operation
    longest_part: Operation  # the instruction that takes most time
    knows_flops: bool  # of some of its instructions; else 0 means nothing
    knows_bytes: bool


@dataclass(frozen=True, slots=True)
class FrameworkColumns:
    """Sums of the operations of a framework, a row for each; `rows`: the row of each operation of a table."""

    names: Sequence[str]
    rows: Ints
    count: Exact  # as often as the most frequent of its instructions
    total: Exact
    own: Exact
    flops: Exact
    bytes: Exact
    knows_flops: Mask
    knows_bytes: Mask

    @classmethod
    def of_table(cls, table: OpTable) -> FrameworkColumns:
        """Columns of the operations of a table."""
        operation_columns = table.columns
        every, framework = _frameworks(table)
        used, row = distinct(framework)
        names = _Some(every, used)
        count = np.zeros(len(names), operation_columns.count.dtype)
        np.maximum.at(count, row, operation_columns.count)

        def sums(column: Exact) -> Exact:
            is_large = sum_of(column) >= _SMALL
            row_sums = np.zeros(len(names), object if is_large else np.int64)
            np.add.at(row_sums, row, column)
            return row_sums

        def any_of(mask: Mask) -> Mask:
            are_met = np.zeros(len(names), np.bool_)
            are_met[row[mask]] = True
            return are_met

        flops, moved = any_of(operation_columns.tells_flops), any_of(operation_columns.tells_bytes)
        return cls(
            names,
            row,
            count,
            sums(operation_columns.total),
            sums(operation_columns.own),
            sums(operation_columns.flops),
            sums(operation_columns.bytes),
            flops,
            moved,
        )

    def __len__(self) -> int:
        return len(self.names)

    def first(self, own: Exact, limit: int) -> list[int]:
        """So many rows, those whose `own` is most first, then by name."""
        if limit <= 0 or not len(self):
            return []
        candidates = list(range(len(self)))
        if limit < len(self):
            least = np.partition(own, len(self) - limit)[len(self) - limit]
            candidates = np.flatnonzero(own >= least).tolist()
        return sorted(candidates, key=lambda row: (-own[row], self.names[row]))[:limit]

    def operations(self, table: OpTable, rows: Sequence[int]) -> list[FrameworkOperation]:
        """Some of them with all that is known."""
        wanted = np.zeros(len(self), np.bool_)
        wanted[np.array(rows, np.int64)] = True
        places = np.flatnonzero(wanted[self.rows]).tolist()
        by_name = {operation.name: operation for operation in framework_operations(some_of(table.operations, places))}
        return [by_name[self.names[row]] for row in rows]


class _Some(Sequence[str]):
    """Some of all names, made when looked at."""

    def __init__(self, every: Sequence[str], places: Ints) -> None:
        self._every, self._places = every, places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, row: int) -> str: ...

    @overload
    def __getitem__(self, row: slice) -> Sequence[str]: ...

    def __getitem__(self, row: int | slice) -> str | Sequence[str]:
        if isinstance(row, slice):
            return [self._every[int(place)] for place in self._places[row]]
        return self._every[int(self._places[row])]


def _frameworks(table: OpTable) -> tuple[Sequence[str], Ints]:
    """Names of operations of the framework, and for each operation of a table the number of its name."""
    if isinstance(table.operations, OpRows):
        names_of_places, places = _place_frameworks(table.operations.instructions)
        return names_of_places, places[table.operations.places]
    names: dict[str, int] = {}
    numbers = [names.setdefault(named(operation.metadata)[0], len(names)) for operation in table.operations]
    return list(names), np.array(numbers, np.int64)


def longest_framework_operations(table: OpTable, limit: int) -> list[FrameworkOperation]:
    """So many of them, those that take most time themselves first; then by name."""
    columns = FrameworkColumns.of_table(table)
    return columns.operations(table, columns.first(columns.own, limit))


def framework_operations(operations: Sequence[Operation]) -> list[FrameworkOperation]:
    """Operations of the framework that instructions come from, in the order in which they are met."""
    by_name: dict[str, FrameworkOperation] = {}
    for operation in operations:
        name, kind = named(operation.metadata)
        row = by_name.get(name)
        if row is None:
            row = by_name[name] = FrameworkOperation(
                name, kind, Operation(operation.metadata, track=operation.track), operation, False, False
            )
        _add(row.sums, operation)
        row.knows_flops = row.knows_flops or bool(operation.flops) or operation.metadata.flops is not None
        row.knows_bytes = row.knows_bytes or bool(operation.bytes) or operation.metadata.bytes is not None
        if operation.own > row.longest_part.own:
            row.longest_part, row.sums.track, row.sums.metadata = operation, operation.track, operation.metadata
    return list(by_name.values())


def known_rates(operation: FrameworkOperation, peaks: Peaks) -> Rates:
    """Its rates, as far as the trace or the programs tell."""
    rates = rates_of(operation.sums, peaks)
    if not operation.knows_flops:
        rates = replace(rates, flops=None, model_flops=None, intensity=None)
    return rates if operation.knows_bytes else replace(rates, bytes=None, hbm=None, intensity=None)


def _add(sums: Operation, operation: Operation) -> None:
    sums.count = max(sums.count, operation.count)
    sums.total += operation.total
    sums.own += operation.own
    sums.stall += operation.stall
    sums.flops += operation.flops
    sums.model_flops += operation.model_flops
    sums.bytes += operation.bytes
    for key, moved in operation.by_memory.items():
        sums.by_memory[key] = sums.by_memory.get(key, 0) + moved


UNKNOWN_TYPE: Final = "Unknown"


def named(metadata: OperationMetadata) -> tuple[str, str]:
    """Name and type of the framework's operation that an instruction comes from."""
    return _op(metadata.framework) if metadata.framework else (metadata.name, UNKNOWN_TYPE)


def framework_op_name(path: str) -> str:
    """Name of the operation that a path in the framework's terms ends with."""
    # Of tens of thousands the type is not asked for, and most end with a colon: they are called what comes before it.
    plain = path[:-1]
    return plain if path[-1:] == ":" and ":" not in plain and plain != ITERATOR else _op(path)[0]


def _parse_path(framework: str) -> tuple[str, str]:
    op = framework_op(framework)
    return op.name, op.type or UNKNOWN_TYPE


# Asked of each of maybe 40,000 instructions.
_op: Final = Memo("framework_paths", "Names of operations of frameworks, by path", 310).remembered(_parse_path, 1 << 16)


class FrameworkNames(Sequence[str]):
    """Names of operations of the framework, made when looked at: first those of plain paths, then others."""

    def __init__(self, codes: MetadataCodes, plain: Codes, others: Sequence[str]) -> None:
        """`plain`: codes of paths that are names with a colon at their end."""
        self._codes, self._plain, self._others = codes, plain, others

    def __len__(self) -> int:
        return len(self._plain) + len(self._others)

    @property
    def size_bytes(self) -> int:
        """About what it takes, without the codes, which are the run's."""
        return self._plain.nbytes + estimated_bytes(self._others)

    @overload
    def __getitem__(self, number: int) -> str: ...

    @overload
    def __getitem__(self, number: slice) -> Sequence[str]: ...

    def __getitem__(self, number: int | slice) -> str | Sequence[str]:
        if isinstance(number, slice):
            return [self[place] for place in range(len(self))[number]]
        place = range(len(self))[number]
        if place >= len(self._plain):
            return self._others[place - len(self._plain)]
        return text_of(self._codes.values[int(self._plain[place])])[:-1]


def framework_numbers(codes: MetadataCodes, rows: Ints) -> tuple[FrameworkNames, Ints]:
    """Names of the operations that rows of metadata come from, and for each row the number of its name.

    They are called as the path of the instruction says, or else as the instruction is.
    """
    matrix = codes.matrix[rows]
    paths, place = distinct(matrix[:, STAT["tf_op"]])
    is_plain = codes.values.plain_paths(paths, f"{ITERATOR}:")
    plain = paths[is_plain]
    number = np.full(len(paths), -1)
    number[is_plain] = np.arange(len(plain))
    names: dict[str, int] = {}

    def number_of(name: str) -> int:
        """A path may be the same but for its colon."""
        code = codes.values.code_of(name + ":")
        rank = int(np.searchsorted(plain, code)) if code >= 0 else len(plain)
        if rank < len(plain) and plain[rank] == code:
            return rank
        return names.setdefault(name, len(plain) + len(names))

    others = np.flatnonzero(~is_plain)
    for rank, path in zip(others.tolist(), codes.values.of(paths[others]), strict=True):
        if text := text_of(path):
            number[rank] = number_of(framework_op_name(text))
    framework: Ints = number[place]
    unnamed = np.flatnonzero(framework < 0)
    used, own = distinct(matrix[unnamed, NAME])
    framework[unnamed] = np.array([number_of(name) for name in codes.names(used)], np.int64)[own]
    return FrameworkNames(codes, plain, list(names)), framework


def _place_frameworks(instructions: InstructionPlaces) -> tuple[FrameworkNames, Ints]:
    """Names of operations of the framework, and of each place of instructions the number of its operation."""
    key = len(instructions)  # there may be more of them later
    frameworks = _FRAMEWORKS.get(instructions, key)
    if frameworks is None:
        frameworks = _FRAMEWORKS.keep(instructions, key, framework_numbers(instructions.codes, instructions.rows))
    return frameworks


_FRAMEWORKS: Final = KeyedCache[InstructionPlaces, int, tuple[FrameworkNames, Ints]](
    "frameworks", "Operations of frameworks that instructions come from"
)
