"""The operations of a large program without those that a tree does not list: of these there are sums."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.operations import KERNEL, Operation, OpTable
from tilescope.tiler.facts.operations.instruction_columns import Ints, sum_of
from tilescope.tiler.facts.operations.metadata import program_id
from tilescope.tiler.facts.operations.op_rows import OpRows
from tilescope.tiler.tools.op_profile.tree import By, Node, Path, Rest, path_of
from tilescope.tiler.tools.operation_notes import waits

# Trees of fewer operations are made of all.
_FEW: Final = 2000


@dataclass(frozen=True, slots=True)
class Listable:
    """`operations` in their order; `rests` by path, all paths in the order in which they are met."""

    operations: Sequence[Operation]
    rests: dict[Path, Rest | None]


def listable_operations(table: OpTable, by: By, program_names: dict[str, str], limit: int) -> Listable:
    """The operations of a table of which any may be among the first `limit` of its category."""
    of = table.operations
    if not isinstance(of, OpRows) or len(of) < _FEW or by == "provenance":
        return Listable(list(of), {})
    paths, path, category = _paths(of, by, program_names)
    alone, names, columns = ~of.have_copies(), of.names(), table.columns
    shown = np.ones(len(of), np.bool_)
    rests: dict[Path, Rest | None] = {}
    for number in _first_met(path):
        rows = np.flatnonzero(path == number)
        rests[paths[number]] = None
        if len(rows) <= limit or category[number] in ("", KERNEL):
            continue
        _, place, count = np.unique(names[rows], return_inverse=True, return_counts=True)
        single = rows[(count[place] == 1) & alone[rows]]
        if len(single) <= limit:
            continue
        own = columns.own[single]
        hidden = single[own < np.partition(own, len(own) - limit)[len(own) - limit]]
        if len(hidden):
            shown[hidden] = False
            rests[paths[number]] = Rest(_sums(table, of, hidden, category[number]), len(hidden), hidden[0] == rows[0])
    return Listable([of[row] for row in np.flatnonzero(shown).tolist()], rests)


def _paths(of: OpRows, by: By, program_names: dict[str, str]) -> tuple[list[Path], Ints, list[str]]:
    """The paths that there are, of each row its own, and of each path the category."""
    programs, program = of.said("program_id")
    categories, category = of.said("hlo_category")
    used, row = np.unique(program * len(categories) + category, return_inverse=True)
    numbers: dict[Path, int] = {}
    of_used: list[int] = []
    told: list[str] = []
    for key in used.tolist():
        one = path_of(
            program_id(programs[key // len(categories)]), categories[key % len(categories)], "", by, program_names
        )
        of_used.append(numbers.setdefault(one, len(numbers)))
        if len(told) < len(numbers):
            told.append(categories[key % len(categories)])
    return list(numbers), np.array(of_used, np.int64)[row], told


def _first_met(path: NDArray[np.int64]) -> list[int]:
    met, first = np.unique(path, return_index=True)
    found: list[int] = met[np.argsort(first)].tolist()
    return found


def _sums(table: OpTable, rows: OpRows, some: Ints, category: str) -> Node:
    of = table.columns
    own = sum_of(of.own[some])
    return Node(
        "",
        own=own,
        total=sum_of(of.total[some]),
        count=sum_of(of.count[some]),
        flops=sum_of(of.flops[some]),
        bytes=sum_of(of.bytes[some]),
        hbm_bytes=sum_of(of.known_hbm[some]) if of.tells_memory[some].any() else None,
        waiting=own if waits(category) else 0,
        track=rows.track(int(some[0])),
        tells_flops=bool(of.tells_flops[some].any()),
    )
