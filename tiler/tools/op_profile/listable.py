"""The operations of a large program without those that a tree does not list: of these there are sums."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.distinct import distinct
from tilescope.tiler.facts.operations import KERNEL, Operation, OpTable
from tilescope.tiler.facts.operations.exact_columns import Exact, Ints, Mask, sum_of
from tilescope.tiler.facts.operations.operation_table import OpRows
from tilescope.tiler.tools.op_profile.tree import By, Node, Path, Rest, path_of
from tilescope.tiler.tools.operation_notes import waits

_LARGEST: Final = int(np.iinfo(np.int64).max)

_FEWEST: Final = 2  # copies that are a part of their own

# Trees of fewer operations are made of all.
_FEW: Final = 2000


@dataclass(frozen=True, slots=True)
class Listable:
    """`operations` in their order; `rests` by path, all paths in the order in which they are met."""

    operations: Sequence[Operation]
    rests: dict[Path, Rest | None]
    copies: dict[int, Rest] = field(default_factory=dict)  # of an operation that is listed those more that are like it


def listable_operations(table: OpTable, by: By, program_names: dict[str, str], limit: int) -> Listable:
    """The operations of a table of which any may be among the first `limit` of its category."""
    operations = table.operations
    if not isinstance(operations, OpRows) or len(operations) < _FEW or by == "provenance":
        return Listable(list(operations), {})
    paths, path, category = _paths(operations, by, program_names)
    groups, names, columns = _groups(operations), operations.names(), table.columns
    shown = np.ones(len(operations), np.bool_)
    rests: dict[Path, Rest | None] = {}
    more_copies: dict[int, Rest] = {}
    for number in _first_met(path):
        rows = np.flatnonzero(path == number)
        rests[paths[number]] = None
        if len(rows) <= limit or category[number] in ("", KERNEL):
            continue
        hidden, parts = _hidden(groups[rows], names[rows], columns.own[rows], limit)
        if parts:
            shown[rows[hidden]] = False
            is_first = bool(hidden[0])
            rests[paths[number]] = Rest(_sums(table, operations, rows[hidden], category[number]), parts, is_first)
        left = rows[~hidden]
        for hidden_rows, first in _hidden_copies(groups[left], names[left], columns.own[left], limit):
            shown[left[hidden_rows]] = False
            more = Rest(_sums(table, operations, left[hidden_rows], category[number]), len(hidden_rows), is_first=False)
            more_copies[int(left[first])] = more
    copies = {id(operations[row]): rest for row, rest in more_copies.items()}
    return Listable(operations.at_places(np.flatnonzero(shown).tolist()), rests, copies)


def _groups(rows: OpRows) -> Ints:
    """A number for each row, which an instruction shares with its copies."""
    programs, program = rows.programs()
    _, original = distinct(rows.originals())
    groups: Ints = original * len(programs) + program
    return groups


def _hidden(group: Ints, name: Ints, own: Exact, limit: int) -> tuple[Mask, int]:
    """Mask of a path's rows in parts that take less time than `limit` others, and the number of these parts.

    A part is an instruction, with its copies. Those that share a name with others are not told apart here.
    """
    _, part = distinct(group)
    _, place = distinct(name)
    count = np.bincount(place)
    can_hide = np.ones(int(part.max()) + 1, np.bool_)
    can_hide[part[count[place] > 1]] = False
    if int(can_hide.sum()) <= limit:
        return np.zeros(len(group), np.bool_), 0
    sums = np.zeros(len(can_hide), object if sum_of(own) > _LARGEST else np.int64)
    np.add.at(sums, part, own)
    candidates = sums[can_hide]
    can_hide &= sums < np.partition(candidates, len(candidates) - limit)[len(candidates) - limit]
    hidden: Mask = can_hide[part]
    return hidden, int(can_hide.sum())


def _hidden_copies(group: Ints, name: Ints, own: Exact, limit: int) -> Iterator[tuple[Ints, int]]:
    """For each large part of a path: rows that take less time than `limit` others of it, and its first row.

    The first is never among them: it says where the part is.
    """
    _, part = distinct(group)
    size = np.bincount(part)
    for number in np.flatnonzero(size > max(limit, _FEWEST)).tolist():
        rows = np.flatnonzero(part == number)
        if len(distinct(name[rows])[0]) < len(rows):
            continue
        times = own[rows]
        hidden = rows[times < np.partition(times, len(times) - limit)[len(times) - limit]]
        hidden = hidden[hidden != rows[0]]
        if len(hidden) and len(rows) - len(hidden) >= _FEWEST:
            yield hidden, int(rows[0])


def _paths(rows: OpRows, by: By, program_names: dict[str, str]) -> tuple[list[Path], Ints, list[str]]:
    """The paths that there are, of each row its own, and of each path the category."""
    programs, program = rows.programs()
    categories, category = rows.categories()
    used, row = distinct(program * len(categories) + category)
    numbers: dict[Path, int] = {}
    of_used: list[int] = []
    path_categories: list[str] = []
    for key in used.tolist():
        path = path_of(programs[key // len(categories)], categories[key % len(categories)], "", by, program_names)
        of_used.append(numbers.setdefault(path, len(numbers)))
        if len(path_categories) < len(numbers):
            path_categories.append(categories[key % len(categories)])
    return list(numbers), np.array(of_used, np.int64)[row], path_categories


def _first_met(path: NDArray[np.int64]) -> list[int]:
    first = np.full(int(path.max(initial=-1)) + 1, len(path))
    first[path[::-1]] = np.arange(len(path))[::-1]  # of what is written to one place the last stays
    numbers: list[int] = [number for number in np.argsort(first).tolist() if first[number] < len(path)]
    return numbers


def _sums(table: OpTable, rows: OpRows, places: Ints, category: str) -> Node:
    columns = table.columns
    own = sum_of(columns.own[places])
    return Node(
        "",
        own=own,
        total=sum_of(columns.total[places]),
        count=sum_of(columns.count[places]),
        flops=sum_of(columns.flops[places]),
        bytes=sum_of(columns.bytes[places]),
        hbm_bytes=sum_of(columns.known_hbm[places]) if columns.tells_memory[places].any() else None,
        waiting=own if waits(category) else 0,
        track=rows.track(int(places[0])),
        tells_flops=bool(columns.tells_flops[places].any()),
    )
