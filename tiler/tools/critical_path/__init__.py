"""The critical path: what the time of a span waits for, across operators, launches, streams and synchronisations."""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta

from tilescope.tiler.count_text import plural
from tilescope.tiler.facts.critical_path import (
    KIND_TITLES,
    CriticalPath,
    PathKind,
    PathKindWord,
    PathProcess,
    critical_path,
    path_processes,
    work_extent,
)
from tilescope.tiler.query import Interruptible, finish
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.tools.answer import Answer, Fact, Note, values_of
from tilescope.tiler.tools.contract import Contract
from tilescope.tiler.tools.critical_path.path_chart import path_chart
from tilescope.tiler.tools.critical_path.path_lanes import LANES
from tilescope.tiler.tools.critical_path.tables import (
    beside_table,
    kinds_table,
    names_table,
    pieces_table,
    tracks_table,
    waits_table,
)
from tilescope.tiler.tools.figures import Figures
from tilescope.tiler.tools.question import SpanQuestion
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.tool import Tool

MAX_LISTED: Final = 10_000
DEFAULT_LISTED: Final = 100

_NO_PATH: Final = (
    "neither launches of work on a stream nor operators of PyTorch were recorded: record the activities of the CPU "
    "with those of the GPU"
)
_NO_SYNCS: Final = (
    "what calls wait for was not recorded: each is taken to wait for what ended last before it; record it with "
    "torch.profiler's experimental option enable_cuda_sync_events"
)


_NO_PROCESS: Final = PathProcess(-1, (), (), 0)


class CriticalPathQuestion(SpanQuestion, frozen=True, kw_only=True):
    """The path of a span or of steps, in one process."""

    path_kind: Annotated[
        PathKindWord | None, Meta(description="Only pieces of this kind are listed; sums are of the whole path.")
    ] = None
    limit: Annotated[int, Meta(ge=0, le=MAX_LISTED, description="The most rows of each table that are listed.")] = (
        DEFAULT_LISTED
    )


def _answer(scope: Scope, question: CriticalPathQuestion) -> Interruptible[Answer]:
    processes = yield from path_processes(scope.reader)
    chosen = frozenset(scope.leaves(question.tracks))
    there = [process for process in processes if process.tracks & chosen]
    process = there[0] if there else _NO_PROCESS
    span = (yield from _span(scope, question, process)) if there else TickRange(0, 0)
    path = yield from critical_path(scope.reader, process, *span)
    notes = _notes(path, there)
    yield
    tables = [
        kinds_table(path, question.tracks),
        names_table(scope, path, question.limit),
        waits_table(path),
        tracks_table(scope, path),
        beside_table(scope, path, question.limit),
    ]
    # Pieces of one kind are what was asked for: they stand first.
    pieces = pieces_table(scope, path, question.path_kind, question.limit)
    tables.insert(len(tables) if question.path_kind is None else 0, pieces)
    return Answer(_facts(scope, path, process), tables, path_chart(path), notes)


def _span(scope: Scope, question: CriticalPathQuestion, process: PathProcess) -> Interruptible[TickRange]:
    """Steps on the threads, or a span; where it has no end of its own, as far as there is work."""
    windows = yield from scope.windows(question)
    span = windows.span(process.threads)
    if question.steps is not None:
        return span
    extent = work_extent(scope.reader, process, span)
    start = extent.start if question.start is None else span.start
    return TickRange(start, max(extent.stop if question.end is None else span.stop, start))


def _facts(scope: Scope, path: CriticalPath, process: PathProcess) -> list[Fact]:
    groups = scope.reader.tree.groups
    group = groups[process.group] if process is not _NO_PROCESS else None
    parent = None if group is None or group.parent is None else groups[group.parent].name
    name = None if group is None else group.name if parent is None else f"{parent} › {group.name}"
    ticks = path.sums.kind_ticks()
    return [
        Fact("process", "Process", name, "name", "" if group else "no track of one that has a path is chosen"),
        Fact("span", "Length of the path", path.stop - path.start, "ticks", "its pieces add up to the span"),
        Fact("device", "Work of devices", sum(ticks[: PathKind.COPY + 1]), "ticks", "on the path"),
        Fact("host", "Operators and calls", ticks[PathKind.OPERATOR], "ticks"),
        Fact("pieces", "Pieces", len(path.pieces), "count"),
        Fact("changes", "Changes of track", path.sums.changes, "count"),
        Fact("start", "Start", path.start, "time"),
    ]


def _notes(path: CriticalPath, processes: list[PathProcess]) -> list[Note]:
    notes = []
    left_out = processes[0].left_out if processes else 0
    if left_out:
        threads = plural(
            left_out, "thread with operators launches nothing and is", "threads with operators launch nothing and are"
        )
        notes.append(
            Note("info", f"{threads} left out: what others wait for there is {KIND_TITLES[PathKind.BETWEEN].lower()}")
        )
    if len(processes) > 1:
        others = plural(len(processes) - 1, "other process has", "other processes have")
        notes.append(Note("info", f"this is the path of one process, and {others} a path too: choose tracks of it"))
    if path.has_unnamed_waits:
        notes.append(Note("info", _NO_SYNCS))
    if path.early:
        early = plural(path.early, "slice of a device starts", "slices of devices start")
        notes.append(Note("warning", f"{early} before the call that launches it: such launches are left out"))
    return notes


def _availability(scope: Scope) -> str:
    return "" if finish(path_processes(scope.reader)) else _NO_PATH


def _sentence(answer: Answer, tick_ps: int) -> str:
    figures = Figures(answer, tick_ps)
    table = figures.table("kinds")
    if table is None:
        return "There is no work in this range"
    kinds = [str(kind) for kind in values_of(table.column("kind"))]
    parts = [f"{figures.cell('kinds', 'share', row)} {kinds[row].lower()}" for row in range(min(len(table), 3))]
    return f"The path of {figures.text('span')} is {', '.join(parts)}"


TOOL: Final = Tool(
    id="critical_path",
    title="Critical path",
    help="what the time of a step or a range waits for, piece by piece",
    group="time",
    question=CriticalPathQuestion,
    answer=_answer,
    sentence=_sentence,
    availability=_availability,
    contract=Contract(parts={"span": ("kinds.time",)}),
    lanes=LANES,
)
