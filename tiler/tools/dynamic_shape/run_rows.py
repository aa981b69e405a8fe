"""Runs one by one, with their shapes, or the blocks and grids of kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from tilescope.tiler.facts.ascend.shaped_runs import ShapedRuns
from tilescope.tiler.facts.tables import Ints, RunTable
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.ticks import nearest_mean
from tilescope.tiler.tools.answer import Column, Table
from tilescope.tiler.tools.table_places import place_columns, search_column, unquoted

_CELLS: Final = ("type", "name", "side", "shapes", "block_dim", "grid_dim")

_LISTED: Final = msgspec.json.Decoder(list[str])


def runs_table(reader: QueryReader, chosen: Sequence[tuple[ShapedRuns, Ints]], limit: int) -> Interruptible[Table]:
    """The first of some rows of tables, in the order of the files."""
    cells: dict[str, list[str | None]] = {name: [] for name in _CELLS}
    tables: list[RunTable] = []
    kinds: list[str] = []
    steps: list[int | None] = []
    times: list[int | None] = []
    for runs, rows in chosen:
        page = rows[: limit - len(tables)]
        tables += [runs.table] * len(page)
        kinds += [kind_noun(runs.are_kernels)] * len(page)
        steps += runs.step[page].tolist()
        times += [None if time is None else nearest_mean(time, reader.tick_ps) for time in runs.time[page].tolist()]
        for name, texts in cells.items():
            header = runs.header(name)
            texts += [None] * len(page) if header is None else (yield from runs.table.texts(header, page))
    columns = [
        Column("step", "Step", "count", steps, total="none"),
        Column("kind", "Kind", "text", kinds),
        Column("side", "Runs on", "text", cells["side"]),
        Column("type", "Type", "name", cells["type"]),
        Column("name", "Name", "text", cells["name"]),
        Column("duration", "Duration", "ticks", times),
        Column("shapes", "Shapes", "text", [_shapes(text) for text in cells["shapes"]]),
        Column("block", "Block", "text", cells["block_dim"]),
        Column("grid", "Grid", "text", cells["grid_dim"]),
        *place_columns(tables),
        search_column(reader, cells["name"]),
    ]
    return Table("runs", "Runs", columns)


def _shapes(cell: str | None) -> str | None:
    """Shapes as they are read: those of MindSpore are a list of texts as JSON, `["[32, 1]","[32, 1]"]`."""
    try:
        listed = _LISTED.decode(cell or "")
    except msgspec.DecodeError:
        return unquoted(cell)
    return "; ".join(listed) or None


def kind_noun(are_kernels: bool) -> str:
    """The noun for kernels of GPUs, or operators."""
    return "kernel" if are_kernels else "operator"
