"""Operators with most FLOPs, of all files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.ascend.flops import PARTS, TOTAL, OperatorFlops
from tilescope.tiler.facts.ascend.headers import matches
from tilescope.tiler.facts.cell_figures import joined
from tilescope.tiler.facts.operations.exact_columns import sum_of
from tilescope.tiler.facts.tables import Ints
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.tools.answer import Column, Table, Value
from tilescope.tiler.tools.flops.rank_rows import number
from tilescope.tiler.tools.operations import OF_PEAK
from tilescope.tiler.tools.table_places import place_columns, search_column

_TITLES: Final = {TOTAL: "", "cube": "Cube ", "vector": "Vector "}


def operators_table(
    reader: QueryReader, operators: Sequence[OperatorFlops], contains: str | None, limit: int
) -> Interruptible[Table]:
    """The first operators in whose name a text is; shares are of all of the same file."""
    parts = []
    for each in operators:
        parts.append((yield from matches(each.names.words, contains))[each.names.codes])
        yield
    flops = {part: joined([each.figures[part].flops for each in operators]) for part in PARTS}
    tables = np.repeat(np.arange(len(operators)), [len(each) for each in operators])
    place = np.concatenate([np.arange(len(each)) for each in operators])
    order = np.argsort(-flops[TOTAL].filled(-1).astype(np.float64), kind="stable")
    order = order[np.concatenate(parts)[order]]
    yield
    rows, others = order[:limit], order[limit:]
    own = [operators[table] for table in tables[rows].tolist()]
    names = [each.names.words[each.names.codes[row]] for each, row in zip(own, place[rows].tolist(), strict=True)]
    wholes = [sum_of(each.figures[TOTAL].flops.filled(0)) for each in operators]
    shares = [
        None if value is None or not wholes[table] else value / wholes[table]
        for value, table in zip(flops[TOTAL][rows].tolist(), tables[rows].tolist(), strict=True)
    ]
    columns = [
        Column("name", "Operator", "name", [name or None for name in names]),
        Column("flops", "FLOPs", "flops", flops[TOTAL][rows]),
        Column("share", "Share", "fraction", shares, total="none"),
    ]
    for part in PARTS:
        title, prefix = _TITLES[part], f"{part}_" if part else ""
        if part:
            columns.append(Column(f"{prefix}flops", f"{title}FLOPs", "flops", flops[part][rows]))
        rates = _numbers([each.figures[part].rate for each in operators], rows)
        of_peak = _numbers([each.figures[part].of_peak for each in operators], rows)
        columns += [
            Column(f"{prefix}rate", f"{title}FLOP rate", "rate", rates, "FLOP/s", total="none"),
            Column(f"{prefix}of_peak", f"{title}utilization".capitalize(), "fraction", of_peak, OF_PEAK, "none"),
        ]
    columns += [*place_columns([each.table for each in own]), search_column(reader, names)]

    def sums(which: Ints) -> dict[str, Value]:
        return {f"{part}_flops" if part else "flops": sum_of(flops[part].filled(0)[which]) for part in PARTS}

    rest = sums(others) if len(others) else None
    return Table("operators", "By operator", columns, totals=sums(order), rest=rest)


def _numbers(columns: Sequence[NDArray[np.float64]], rows: Ints) -> list[float | None]:
    return [number(value) for value in np.concatenate(columns)[rows].tolist()]
