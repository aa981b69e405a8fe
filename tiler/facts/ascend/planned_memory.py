"""Memory that the graphs of MindSpore are planned to need: in the order of execution, by its compiler's plan.

Sizes are written in GiB: the double that is nearest, times 2^30, is the number of bytes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.ascend.table_places import RankPlace, tables_by_rank
from tilescope.tiler.facts.tables import RunTable
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_caches import KeyedRunCache

Ints = NDArray[np.int64]

FAMILIES: Final = tuple(f"memory_usage_details.{part}" for part in ("graphs", "nodes", "tensors", "lines"))
_GRAPHS, _NODES, _TENSORS, _LINES = FAMILIES
_SUMMARY: Final = "memory_usage_summary"

_GIBIBYTE: Final = 1 << 30
_MOST_BYTES: Final = 1 << 52
_NO_TENSOR: Final = -1


@dataclass(frozen=True, slots=True)
class PlannedTensor:
    """An output of an operator; `first` and `last`: numbers of the operators between which it lives."""

    number: int
    name: str
    source: str  # the operator whose output it is
    size: int
    first: int
    last: int
    kind: str
    data_type: str
    shape: str
    layout: str
    life: str


@dataclass(frozen=True)
class PlannedGraph:
    """A graph of a rank, with one operator or more; columns by operator, in the order of execution; bytes."""

    place: RankPlace
    graph: str
    capacity: int | None
    static: int
    numbers: Ints  # ascending: places in the execution; of large graphs the file has some operators alone
    names: Sequence[str]
    full_names: Sequence[str]
    own: Ints  # of each operator: of the outputs that it makes
    used: Ints  # while it runs: as the file has it, or else what its tensors come to
    counted: Ints  # the latter
    tensors: Sequence[PlannedTensor]
    forward_start: int | None  # numbers of operators
    backward_end: int | None
    left_out: int  # tensors without a size or a life that can be

    @property
    def label(self) -> str:
        """The graph, of its rank."""
        return f"graph {self.graph} of rank {self.place.name}"

    @cached_property
    def peak_place(self) -> int:
        """The first operator at which most is in use."""
        return int(self.used.argmax())

    @property
    def peak_number(self) -> int:
        """Its number."""
        return int(self.numbers[self.peak_place])

    @property
    def peak(self) -> int:
        """The bytes in use then."""
        return int(self.used[self.peak_place])

    @property
    def changes(self) -> Ints:
        """The bytes in use at each operator less those at the one before."""
        return np.diff(self.used, prepend=self.static)

    def live(self, number: int) -> list[PlannedTensor]:
        """Tensors that live while an operator runs."""
        return [tensor for tensor in self.tensors if tensor.first <= number <= tensor.last]


_PLANS: Final = KeyedRunCache[str, Sequence[PlannedGraph]]("planned_memory", "Memory that graphs are planned to need")


def has_planned_memory(reader: QueryReader) -> bool:
    """True if any graph of a run has its plan. Raises StoredLast while it is indexed, DamagedStore."""
    return any(_NODES in tables for tables in tables_by_rank(reader, FAMILIES).values())


def planned_graphs(reader: QueryReader) -> Interruptible[Sequence[PlannedGraph]]:
    """The graphs of all ranks. Raises as above; yields between tables."""
    plans = _PLANS.get(reader, "")
    if plans is None:
        graphs: list[PlannedGraph] = []
        for place, tables in tables_by_rank(reader, (*FAMILIES, _SUMMARY)).items():
            if _NODES in tables:
                graphs += yield from _graphs(place, tables)
        plans = _PLANS.keep(reader, "", graphs)
    return plans


def _graphs(place: RankPlace, tables: Mapping[str, RunTable]) -> Interruptible[list[PlannedGraph]]:
    nodes = yield from _columns(tables[_NODES], "graph", "name", "fullname", "node_id")
    own = yield from _sizes(tables[_NODES], "size")
    by_graph: dict[str, list[int]] = defaultdict(list)
    for row, graph in enumerate(nodes["graph"]):
        by_graph[graph].append(row)
    capacity = None
    if _SUMMARY in tables and len(tables[_SUMMARY]):
        (written, *_) = yield from _sizes(tables[_SUMMARY], "capacity")
        capacity = int(written) if written > 0 else None
    tensors, left_out = yield from _tensors(tables.get(_TENSORS))
    lines: dict[str, list[int]] = defaultdict(list)
    if _LINES in tables:
        texts = yield from _columns(tables[_LINES], "graph")
        used = yield from _sizes(tables[_LINES], "used")
        for graph, size in zip(texts["graph"], used.tolist(), strict=True):
            lines[graph].append(size)
    points = {}
    if _GRAPHS in tables:
        texts = yield from _columns(tables[_GRAPHS], "graph", "fp_start", "bp_end")
        static = yield from _sizes(tables[_GRAPHS], "static_mem")
        rows = zip(texts["graph"], static.tolist(), texts["fp_start"], texts["bp_end"], strict=True)
        points = {graph: (max(size, 0), start, end) for graph, size, start, end in rows}
    graphs = []
    for graph, rows_of_graph in by_graph.items():
        static_size, start, end = points.get(graph, (0, "", ""))
        names = [nodes["name"][row] for row in rows_of_graph]
        numbers = _numbers([nodes["node_id"][row] for row in rows_of_graph])
        last_number = int(numbers[-1])
        own_tensors = [_until(tensor, last_number) for tensor in tensors[graph]]
        counted = _curve(static_size, own_tensors, numbers)
        written = np.array(lines[graph], np.int64)
        is_written = len(written) == len(names) and bool((written >= 0).all())
        graphs.append(
            PlannedGraph(
                place=place,
                graph=graph,
                capacity=capacity,
                static=static_size,
                numbers=numbers,
                names=names,
                full_names=[nodes["fullname"][row] or nodes["name"][row] for row in rows_of_graph],
                own=np.maximum(own[rows_of_graph], 0),
                used=written if is_written else counted,
                counted=counted,
                tensors=own_tensors,
                forward_start=_number(start, names, numbers),
                backward_end=_number(end, names, numbers),
                left_out=left_out[graph],
            )
        )
        yield
    return graphs


def _tensors(table: RunTable | None) -> Interruptible[tuple[dict[str, list[PlannedTensor]], dict[str, int]]]:
    """Tensors by graph, each once, and how many have no size or life that can be."""
    by_graph: dict[str, dict[str, PlannedTensor]] = defaultdict(dict)
    left_out: dict[str, int] = defaultdict(int)
    if table is not None:
        names = ("graph", "source", "tensor_name", "tensor_id", "type", "data_type", "shape", "format", "life_long")
        cells = yield from _columns(table, *names, "life_start", "life_end")
        sizes = (yield from _sizes(table, "size")).tolist()
        for row, graph in enumerate(cells["graph"]):
            text = {name: column[row] for name, column in cells.items()}
            first, last = _whole(text["life_start"]), _whole(text["life_end"])
            key = text["tensor_id"] or text["tensor_name"]
            before = by_graph[graph].get(key)
            if sizes[row] < 0 or first is None or last is None or last < first:
                left_out[graph] += before is None
            elif before is None:
                number = _whole(text["tensor_id"])
                by_graph[graph][key] = PlannedTensor(
                    _NO_TENSOR if number is None else number,
                    text["tensor_name"] or key,
                    text["source"] or text["tensor_name"].rpartition(":")[0],
                    sizes[row],
                    first,
                    last,
                    text["type"],
                    text["data_type"],
                    text["shape"],
                    text["format"],
                    text["life_long"],
                )
            if row % 4096 == 0:
                yield
    return defaultdict(list, {graph: list(own.values()) for graph, own in by_graph.items()}), left_out


def _numbers(texts: Sequence[str]) -> Ints:
    """Numbers of operators, their places in the file unless it has others that ascend."""
    wholes = [_whole(text) for text in texts]
    numbers = np.array([-1 if whole is None else whole for whole in wholes], np.int64)
    ascend = bool((np.diff(numbers) > 0).all()) and bool((numbers >= 0).all())
    return numbers if ascend else np.arange(len(texts))


def _until(tensor: PlannedTensor, last: int) -> PlannedTensor:
    """The same where this is the last operator: what lives to the end is written as one more."""
    if tensor.last <= last:
        return tensor
    return replace(tensor, first=min(tensor.first, last), last=last)


def _curve(static: int, tensors: Sequence[PlannedTensor], numbers: Ints) -> Ints:
    """Bytes in use while each of these operators runs."""
    first, last, size = (
        np.array([getattr(tensor, name) for tensor in tensors], np.int64) for name in ("first", "last", "size")
    )
    made, freed = np.argsort(first), np.argsort(last)
    before_made, before_freed = (np.append(0, np.cumsum(size[order])) for order in (made, freed))
    there = before_made[np.searchsorted(first[made], numbers, side="right")]
    used: Ints = static + there - before_freed[np.searchsorted(last[freed], numbers)]
    return used


def _number(text: str, names: Sequence[str], numbers: Ints) -> int | None:
    """The number of an operator that a file has by this or by its name."""
    number = _whole(text)
    if number is not None:
        return number if number <= int(numbers[-1]) else None
    name = text.rpartition("/")[2]
    return int(numbers[names.index(name)]) if name and name in names else None


def _whole(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None


def _columns(table: RunTable, *names: str) -> Interruptible[dict[str, list[str]]]:
    columns: dict[str, list[str]] = {}
    for name in names:
        texts = (yield from table.column(name)).texts() if name in table else [None] * len(table)
        columns[name] = [text or "" for text in texts]
        yield
    return columns


def _sizes(table: RunTable, name: str) -> Interruptible[Ints]:
    """Bytes; -1 where a cell is none, negative, or beyond all memories."""
    if name not in table:
        return np.full(len(table), -1)
    amounts = (yield from table.column(name)).doubles()
    fits = (amounts >= 0) & (amounts < _MOST_BYTES // _GIBIBYTE)
    return np.where(fits, np.rint(np.where(fits, amounts, 0) * _GIBIBYTE), -1).astype(np.int64)
