"""Operators that AI CPUs run to fetch data, as torch_npu, msprof and MindSpore's second profiler list them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import numpy as np

from tilescope.tiler.facts.ascend.table_places import RankPlace, places_of
from tilescope.tiler.facts.cell_figures import decimal_times, small_times
from tilescope.tiler.facts.tables import Ints, RunTable, TableColumn, run_tables
from tilescope.tiler.facts.wide_sums import WideSums, counts_of
from tilescope.tiler.query import Interruptible, QueryReader

NODE_TABLE: Final = "data_preprocess"
NODE_TIMES: Final = ("compute_time", "memcpy_time", "dispatch_time", "total_time")

_UNITS_PS: Final = {"us": 10**6, "ms": 10**9, "ns": 10**3}
_HEADER: Final = re.compile(r"(\w+)(?:\((us|ms|ns)\))?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DataNode:
    """All calls of one operator on a device; `times` in ps, in the order of NODE_TIMES, None: not recorded."""

    place: RankPlace
    name: str
    count: int
    times: tuple[int | None, ...]


def data_nodes(reader: QueryReader) -> Interruptible[list[DataNode]]:
    """The operators of each device, by total time, greatest first.

    Raises StoredLast while the run is indexed, DamagedStore.
    """
    nodes: list[DataNode] = []
    tables = run_tables(reader, NODE_TABLE)
    for place, table in zip(places_of(reader, tables), tables, strict=True):
        nodes += yield from _nodes(place, table)
    return sorted(nodes, key=lambda node: (node.place, -(node.times[-1] or 0), node.name))


def _nodes(place: RankPlace, table: RunTable) -> Interruptible[list[DataNode]]:
    columns: dict[str, tuple[str, int]] = {}
    for header in table.columns:
        if (match := _HEADER.fullmatch(header.strip())) is not None:
            columns.setdefault(match[1].lower(), (header, _UNITS_PS[(match[2] or "us").lower()]))
    if "node" not in columns:
        return []
    present = [(position, columns[time]) for position, time in enumerate(NODE_TIMES) if time in columns]
    counts: dict[str, int] = {}
    sums: dict[str, list[int | None]] = {}
    headers = [columns["node"][0], *(header for _, (header, _) in present)]
    for names, *lengths in table.chunks(headers):
        codes, words = names.coded()
        texts = ["", *words]
        groups = codes.astype(np.int64) + 1
        for name, rows in zip(texts, np.bincount(groups, minlength=len(texts)).tolist(), strict=True):
            if rows:
                counts[name] = counts.get(name, 0) + rows
                sums.setdefault(name, [None] * len(NODE_TIMES))
        yield
        for (position, (_, unit)), column in zip(present, lengths, strict=True):
            for name, length in zip(texts, _sums(column, unit, groups, len(texts)), strict=True):
                if length is not None:
                    sums[name][position] = (sums[name][position] or 0) + length
            yield
    return [DataNode(place, name, count, tuple(sums[name])) for name, count in counts.items()]


def _sums(column: TableColumn, unit: int, groups: Ints, count: int) -> list[int | None]:
    """Sums of the lengths of each of so many groups, without negative ones; None without any."""
    times = small_times(column, unit)
    if times is None:
        sums: list[int | None] = [None] * count
        for group, length in zip(groups.tolist(), decimal_times(column, unit), strict=True):
            if length is not None and length >= 0:
                sums[group] = (sums[group] or 0) + length
        return sums
    are_lengths = ~np.ma.getmaskarray(times) & (times.data >= 0)
    is_there = counts_of(groups, are_lengths, count) > 0
    totals = WideSums.from_groups(np.ma.MaskedArray(times.data, ~are_lengths), groups, count).integers()
    return [total if there else None for total, there in zip(totals, is_there.tolist(), strict=True)]
