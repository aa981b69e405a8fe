"""Parts of the steps of each rank of a job, as profilers of Ascend devices write them for clusters.

`ascend_cluster_analyse_*` of generation 1, whose rows are steps and whose last row is a mean, with intervals of
`step_trace_raw_*` and FLOPs of `flops_summary_*`; `step_trace_time` and `cluster_step_trace_time` of generation 2.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct, field

from tilescope.tiler.facts.ascend.communication.exact_figures import exact
from tilescope.tiler.facts.ascend.communication.transfers import ChosenPart
from tilescope.tiler.facts.tables import RunTable, run_tables
from tilescope.tiler.query import Interruptible, QueryReader

_PIPELINE: Final = {
    "computation_time": "computation",
    "communication_alone_time": "communication",
    "stage_time": "length",
    "receive_alone_time": "receive",
    "collective_communication_alone_time": "collective",
}
_PARALLEL: Final = {"iteration_interval": "interval", "fp_and_bp": "forward_backward", "tail": "tail"}
_STEP_TRACE: Final = {"iteration_interval": "interval"}
_SECOND: Final = {
    "Computing": "computation",
    "Communication(Not Overlapped)": "communication",
    "Overlapped": "overlapped",
    "Free": "free",
    "Stage": "length",
    "Bubble": "receive",
    "Communication(Not Overlapped and Exclude Receive)": "collective",
}

_TICKS: Final = 100_000  # of 10 ns, of a millisecond
_MICROSECONDS: Final = 1000

_FAMILIES: Final = ("cluster_pipeline", "cluster_parallel", "step_trace_time", "cluster_step_trace_time")
_SHAPE: Final = re.compile(r"-parallel_(\d{1,6})_(\d{1,6})_\d{1,8}\.", re.ASCII)
_NUMBER: Final = re.compile(r"\d{1,18}", re.ASCII)
_BAD_FIGURES: Final = "figures of steps in cluster files that are no times"


class StepParts(Struct):
    """Parts of a step of a rank in scaled milliseconds; None: not recorded. `step` None: a mean, as the file has it."""

    rank: int
    step: int | None
    stage: int | None = None  # of a pipeline, from 1 on
    interval: int | None = None
    forward_backward: int | None = None
    tail: int | None = None
    computation: int | None = None
    communication: int | None = None  # that computation does not hide
    overlapped: int | None = None
    free: int | None = None
    length: int | None = None  # of the stage: without what it waits for others in receives
    receive: int | None = None
    collective: int | None = None  # communication without receives


class Cluster(Struct):
    """All that was chosen; FLOPs by rank: in millions, and as a rate in 10^9 a second."""

    parts: list[StepParts] = field(default_factory=list)
    flops: dict[int, tuple[float, float]] = field(default_factory=dict)
    problems: Counter[str] = field(default_factory=Counter)


def has_cluster(reader: QueryReader) -> bool:
    """True if a run has such files. Raises DamagedStore, NotBuilt."""
    return bool(run_tables(reader, *_FAMILIES))


def read_cluster(reader: QueryReader, chosen: ChosenPart) -> Interruptible[Cluster]:
    """Parts of the chosen steps, and means of files where nothing but the whole is asked for. Raises DamagedStore."""
    cluster = Cluster()
    by_place: dict[tuple[int, int | None], StepParts] = {}
    for table in run_tables(reader, "cluster_pipeline"):
        yield from _add_rows(cluster, by_place, chosen, table, _PIPELINE, 1)
    for table in run_tables(reader, "cluster_parallel"):
        yield from _add_rows(cluster, by_place, chosen, table, _PARALLEL, _TICKS)
    ranks = {rank for rank, _ in by_place}
    for table in run_tables(reader, "step_trace_raw"):
        if table.entry.rank in ranks:
            yield from _add_rows(cluster, by_place, chosen, table, _STEP_TRACE, _TICKS)
    for table in run_tables(reader, "step_trace_time", "cluster_step_trace_time"):
        yield from _add_second(cluster, by_place, chosen, table)
    for table in run_tables(reader, "flops_summary"):
        yield from _add_flops(cluster, table)
    cluster.parts = [part for _, part in sorted(by_place.items(), key=lambda place: (place[0][0], place[0][1] or 0))]
    return cluster


def _add_rows(
    cluster: Cluster,
    by_place: dict[tuple[int, int | None], StepParts],
    chosen: ChosenPart,
    table: RunTable,
    columns: Mapping[str, str],
    divisor: int,
) -> Interruptible[None]:
    """Rows of generation 1: steps in their order; the last of them, or that of step `-` or 0, is the mean."""
    if (rank := table.entry.rank) is None:
        return
    has_numbers = "step_num" in table
    for place, cells in enumerate(_rows(table)):
        number = cells.get("step_num") if has_numbers else str(place + 1)
        is_mean = number in ("-", "0") if has_numbers else place == len(table) - 1
        step = None if is_mean or not _NUMBER.fullmatch(number or "") else int(number or 0)
        if (step is not None or is_mean) and chosen.has_step(table.entry.host, step):
            part = by_place.setdefault((rank, step), StepParts(rank, step))
            part.stage = part.stage or _stage(table.entry.name, rank)
            _put(cluster, part, cells, columns, divisor)
        yield


def _stage(name: str, rank: int) -> int | None:
    """The stage of a pipeline that a rank is of: as many ranks are of each."""
    match = _SHAPE.search(name)
    if match is None or not 0 < int(match[1]) <= int(match[2]) or int(match[2]) % int(match[1]):
        return None
    return rank // (int(match[2]) // int(match[1])) + 1


def _add_second(
    cluster: Cluster, by_place: dict[tuple[int, int | None], StepParts], chosen: ChosenPart, table: RunTable
) -> Interruptible[None]:
    """Rows of generation 2: those of single ranks, of which stages are made."""
    for cells in _rows(table):
        yield
        if cells.get("Type") not in (None, "rank"):
            continue
        number = cells.get("Index") or str(table.entry.rank)
        text = cells.get("Step") or ""
        step = int(text) if _NUMBER.fullmatch(text) else None
        if _NUMBER.fullmatch(number) and chosen.has_step(table.entry.host, step):
            rank = int(number)
            part = by_place.setdefault((rank, step), StepParts(rank, step))
            stage = cells.get("PP Index") or ""
            part.stage = int(stage) + 1 if _NUMBER.fullmatch(stage) else part.stage
            _put(cluster, part, cells, _SECOND, _MICROSECONDS)


def _put(
    cluster: Cluster, part: StepParts, cells: Mapping[str, str | None], columns: Mapping[str, str], divisor: int
) -> None:
    for column, name in columns.items():
        text = cells.get(column)
        if text is None:
            continue
        figure = exact(text)
        if figure is None:
            cluster.problems[_BAD_FIGURES] += 1
        else:
            setattr(part, name, figure // divisor)


def _add_flops(cluster: Cluster, table: RunTable) -> Interruptible[None]:
    if table.entry.rank is None or "FLOPs" not in table or "FLOPS" not in table:
        return
    counts, rates = (yield from table.column("FLOPs")).doubles(), (yield from table.column("FLOPS")).doubles()
    if len(counts) and counts[0] >= 0 and rates[0] >= 0:
        cluster.flops[table.entry.rank] = (float(counts[0]), float(rates[0]))


def _rows(table: RunTable) -> Iterator[dict[str, str | None]]:
    used = set(_PIPELINE) | set(_PARALLEL) | set(_SECOND) | {"step_num", "Step", "Type", "Index", "PP Index"}
    names = [name for name in table.columns if name in used]
    for columns in table.chunks(names):
        for cells in zip(*(column.texts() for column in columns), strict=True):
            yield dict(zip(names, cells, strict=True))
