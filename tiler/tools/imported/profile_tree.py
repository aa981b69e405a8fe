"""The trees of an op profile: one table for each way in which operations are grouped."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from tilescope.tiler.facts.hlo.layouts import LayoutDimension
from tilescope.tiler.facts.hlo.matrix_use import MatrixUse, use_of_dimensions
from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools.answer import Answer, Column, Note, Table, values_of
from tilescope.tiler.tools.imported.json_values import SHOWN_ROWS, items, member, number, text, ticks, whole

_TITLES: Final = {
    "byCategory": "By category",
    "byProgram": "By program",
    "byProgramExcludeIdle": "By program, without idle",
    "byCategoryExcludeIdle": "By category, without idle",
    "byProvenance": "By provenance",
}

_TEXTS: Final = (
    ("category", "Category", "category"),
    ("op", "Operation", "op"),
    ("expression", "Expression", "expression"),
    ("provenance", "Provenance", "provenance"),
)


@dataclass(slots=True)
class _Rows:
    """The nodes of a tree, parents first."""

    parent: list[int] = field(default_factory=list)
    nodes: list[Any] = field(default_factory=list)
    is_cut: bool = False


def profile_tree_answer(parsed: Any, tick_ps: int) -> Interruptible[Answer]:
    """A tree for each member that is one."""
    tables: list[Table] = []
    notes: list[Note] = []
    for key in _TITLES:
        if isinstance(member(parsed, key), dict):
            yield
            rows = _rows(parsed[key])
            tables.append((yield from _table(key, rows, tick_ps)))
            if rows.is_cut:
                notes.append(Note("warning", f"{_TITLES[key]}: only {SHOWN_ROWS:,} nodes are shown"))
    return Answer(tables=tables, notes=notes)


def _rows(root: Any) -> _Rows:
    rows, waiting = _Rows(), [(-1, root)]
    while waiting:
        parent, node = waiting.pop()
        if len(rows.nodes) == SHOWN_ROWS:
            rows.is_cut = True
            break
        place = len(rows.nodes)
        rows.parent.append(parent)
        rows.nodes.append(node)
        waiting += [(place, child) for child in reversed(items(member(node, "children"))) if isinstance(child, dict)]
    return rows


def _table(key: str, rows: _Rows, tick_ps: int) -> Interruptible[Table]:
    """Old files have shares of the whole as times and rates; newer ones have picoseconds beside them."""
    nodes = rows.nodes
    yield
    flops = [number(member(node, "metrics", "flops")) for node in nodes]
    share = _shares(rows)
    used = [
        None if flop is None or not time else min(flop / time, 1.0) for flop, time in zip(flops, share, strict=True)
    ]
    wasted = [
        None if fraction is None or time is None else time * (1 - fraction)
        for fraction, time in zip(used, share, strict=True)
    ]
    yield
    raw = _numbers(nodes, "metrics", "rawTime")
    texts: list[Column] = []
    for name, title, source in _TEXTS:
        yield
        texts.append(Column(name, title, "text", [text(member(node, "xla", source)) or None for node in nodes]))
    yield
    columns = [
        Column("name", "Name", "name", [text(member(node, "name")) or "" for node in nodes]),
        Column("parent", "Parent", "id", rows.parent),
        Column("time_share", "Time", "fraction", share, total="none"),
        Column("flops_utilisation", "FLOPS of peak", "fraction", used, total="none"),
        Column("wasted", "Lost to low FLOPS", "fraction", wasted, total="none"),
        Column("raw_time", "Time on the device", "ticks", [ticks(ps, 1, tick_ps) for ps in raw], total="none"),
        Column(
            "occurrences", "Occurrences", "count", [whole(member(node, "metrics", "occurrences")) for node in nodes]
        ),
        *texts,
        Column("layout", "Layout", "text", [layout_text(node) for node in nodes]),
    ]
    yield
    name = re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", key)
    return Table(name, _TITLES[key], [column for column in columns if not _is_empty(column)], parent="parent")


def _shares(rows: _Rows) -> list[float | None]:
    """Times as parts of the root's."""
    raw = _numbers(rows.nodes, "metrics", "rawTime")
    if raw and raw[0]:
        whole_time = raw[0]
        return [None if time is None else time / whole_time for time in raw]
    return _numbers(rows.nodes, "metrics", "time")


def _numbers(nodes: list[Any], *names: str) -> list[float | None]:
    return [number(member(node, *names)) for node in nodes]


def layout_text(node: Any) -> str | None:
    """Dimensions and what they are padded to: "feature 200 padded to 256, batch 8"."""
    parts = []
    for dimension in _dimensions(node):
        size = f"{dimension.meaning or 'dimension'} {dimension.size:,}"
        parts.append(size if dimension.padded == dimension.size else f"{size} padded to {dimension.padded:,}")
    return ", ".join(parts) or None


def layout_padding(node: Any) -> float | None:
    """The part of an operation's memory that is padding; None: the file does not tell its dimensions."""
    sizes = [dimension for dimension in _dimensions(node) if dimension.padded > 0]
    return 1 - math.prod(dimension.size / dimension.padded for dimension in sizes) if sizes else None


def layout_matrix_use(node: Any) -> MatrixUse | None:
    """Use of the matrix unit by a convolution, as its result says; None: it is none, or the file does not tell."""
    dimensions = list(_dimensions(node))
    if not _OF_CONVOLUTIONS & {dimension.meaning for dimension in dimensions}:
        return None
    return use_of_dimensions(dimensions, is_of_result_alone=True)


_OF_CONVOLUTIONS: Final = {"batch", "feature"}  # names of dimensions, which no other operations have


def _dimensions(node: Any) -> Iterator[LayoutDimension]:
    for dimension in items(member(node, "xla", "layout", "dimensions")):
        size, alignment = whole(member(dimension, "size")), whole(member(dimension, "alignment"))
        if size is not None:
            meaning = text(member(dimension, "semantics")) or ""
            yield LayoutDimension(max(size, 0), max(alignment or 1, 1), meaning)


def _is_empty(column: Column) -> bool:
    return column.kind != "name" and column.id != "parent" and not any(value is not None for value in values_of(column))
