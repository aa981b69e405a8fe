"""A run as a heat map: how busy hosts, processes or tracks are over time, and when they are behind the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Literal

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from tilescope.tiler.count_text import plural
from tilescope.tiler.facts.devices import devices_of
from tilescope.tiler.query import Interruptible
from tilescope.tiler.query.run_steps import RunSteps
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Series, Table
from tilescope.tiler.tools.figures import Figures
from tilescope.tiler.tools.heat_map.busy import busy_ticks
from tilescope.tiler.tools.heat_map.chips import ChipCell, by_chip, chip_cells
from tilescope.tiler.tools.heat_map.grid import Grid
from tilescope.tiler.tools.heat_map.lanes import without_communication
from tilescope.tiler.tools.heat_map.lateness import LateSpans, late_spans
from tilescope.tiler.tools.heat_map.rows import MapRow, RowPart, RunParts, lanes_of, rows_of
from tilescope.tiler.tools.question import TrackQuestion
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.tool import Tool

Ints = NDArray[np.int64]

MAX_ROWS: Final = 2048
DEFAULT_ROWS: Final = 512
MAX_COLUMNS: Final = 1024
DEFAULT_COLUMNS: Final = 512

# Cells of one map: JSON of two maps compresses to less than a megabyte.
MAX_CELLS: Final = 1 << 18

_NO_CHIPS: Final = "the trace does not number the chips of these rows: they stand as in the timeline"

_AT_ONCE: Final = 64  # rows, or processes of a row, between two turns


class HeatMapQuestion(TrackQuestion, frozen=True, kw_only=True):
    """Some tracks in a span, as so many rows and columns at most."""

    level: Annotated[
        Literal["host", "process", "track"] | None,
        Meta(description="What a row is. Without it the finest of these of which there are no more than `rows`."),
    ] = None
    counted: Annotated[
        Literal["devices", "computing", "tracks"] | None,
        Meta(
            description="What counts as busy: devices while they work on anything, devices while they do anything but "
            "communicate, in which they wait for each other, or each track of slices. Without it devices, where there "
            "are some."
        ),
    ] = None
    rows: Annotated[
        int, Meta(ge=1, le=MAX_ROWS, description="The most rows: neighbours are summed where there are more.")
    ] = DEFAULT_ROWS
    columns: Annotated[int, Meta(ge=2, le=MAX_COLUMNS, description="The most columns: fewer where rows are many.")] = (
        DEFAULT_COLUMNS
    )
    order: Annotated[
        Literal["timeline", "chips"],
        Meta(
            description="timeline: rows as they stand there. chips: hosts and cores of TPUs by the chips that they "
            "have, row by row of the grid that these fill, else by their numbers; all others follow."
        ),
    ] = "timeline"


def _answer(scope: Scope, question: HeatMapQuestion) -> Interruptible[Answer]:
    reader = scope.reader
    tracks = [track for track in scope.leaves(question.tracks) if reader.tree.tracks[track].events]
    devices = None
    if question.counted != "tracks":
        devices = yield from devices_of(reader)
    if question.counted == "computing":
        devices = without_communication(devices or ())
    parts = RunParts(reader.tree, tracks, devices)
    if devices is not None and not parts and question.counted is None:
        parts = RunParts(reader.tree, tracks, None)
    if not parts:
        return Answer([Fact("rows", "Rows", 0, "count")])
    yield
    level = question.level or parts.level(question.rows)
    own = parts.of_level(level)
    cells = chip_cells(scope.reader, own) if question.order == "chips" else {}
    rows = rows_of(by_chip(own, cells), question.rows)
    span = scope.within(question.ticks)
    grid = Grid.of_span(span, min(question.columns, max(2, MAX_CELLS // len(rows))))
    busy = np.zeros((len(rows), grid.columns), np.int64)
    for done in busy_ticks(reader, lanes_of(rows), grid, len(rows)):
        yield
        busy = busy if done is None else done
    late = yield from _late_ticks(reader.steps, rows, grid)
    lanes = np.array([row.lane_count for row in rows], np.int64)
    widths = grid.widths
    whole = int(lanes.sum()) * int(widths.sum())
    facts = [
        Fact("rows", "Rows", len(rows), "count"),
        Fact("level", "A row is", level, "text"),
        Fact("parts", "Hosts, processes or tracks", sum(len(row.parts) for row in rows), "count"),
        Fact("together", "Hosts, processes or tracks in a row, at most", max(len(row.parts) for row in rows), "count"),
        Fact("start", "Start", grid.span.start, "time"),
        Fact("end", "End", grid.span.stop, "time"),
        Fact("column_ticks", "Width of a column", 1 << grid.shift, "ticks", "the span may begin and end within one"),
        Fact("busy", "Busy", int(busy.sum()), "ticks", "of all lanes together"),
        Fact("share", "Busy, of the time", int(busy.sum()) / whole, "fraction"),
    ]
    series = [_series("busy", "Busy", rows, grid, busy, lanes[:, None] * widths)]
    if late.any():
        series.append(_series("late", "Behind the others", rows, grid, late, np.broadcast_to(widths, late.shape)))
    notes = [] if cells or question.order == "timeline" else [Note("info", _NO_CHIPS)]
    return Answer(facts, [_table(rows, grid, busy, late, lanes, cells)], series, notes)


def _late_ticks(steps: RunSteps, rows: Sequence[MapRow], grid: Grid) -> Interruptible[Ints]:
    """Ticks of each column in which a process of a row is behind: of the one that is longest. Shape (rows, columns)."""
    late: Mapping[int, LateSpans] = late_spans(steps)
    ticks = np.zeros((len(rows), grid.columns), np.int64)
    for number, row in enumerate(rows if late else ()):
        series = (steps.of_track(lane.track) for part in row.parts for lane in part.lanes)
        processes = {each.process for each in series if each is not None}
        spans = [late[process] for process in processes if process in late]
        for first in range(0, len(spans), _AT_ONCE):
            batch = spans[first : first + _AT_ONCE]
            lane = np.repeat(np.arange(len(batch)), [len(each.start) for each in batch])
            start, stop = (np.concatenate([getattr(each, end) for each in batch]) for end in ("start", "stop"))
            longest = grid.ticks_within(lane, start, stop, len(batch)).max(axis=0)
            ticks[number] = np.maximum(ticks[number], longest)
            yield
        if number % _AT_ONCE == 0:
            yield
    return np.minimum(ticks, grid.widths)


def _table(
    rows: Sequence[MapRow], grid: Grid, busy: Ints, late: Ints, lanes: Ints, cells: Mapping[RowPart, ChipCell]
) -> Table:
    total = busy.sum(axis=1)
    share = total / (lanes * int(grid.widths.sum()))
    columns = [
        Column("name", "Name", "name", [row.name for row in rows]),
        Column("host", "Host", "text", [row.shared("host") for row in rows]),
        Column("process", "Process", "text", [row.shared("process") for row in rows]),
        Column("parts", "Together", "count", [len(row.parts) for row in rows]),
        Column("lanes", "Devices or tracks", "count", lanes),
        Column("busy", "Busy", "ticks", total),
        Column("share", "Busy, of the time", "fraction", share, total="none"),
        Column("late", "Behind the others", "ticks", late.sum(axis=1)),
        Column("tracks", "Tracks", "text", [row.tracks_text for row in rows]),
        Column("track", "Track", "track", [row.first_track for row in rows]),
        Column("start", "Start", "time", np.full(len(rows), grid.span.start)),
        Column("end", "End", "time", np.full(len(rows), grid.span.stop)),
    ]
    if cells:
        first = [cells.get(row.parts[0]) for row in rows]
        columns += [
            Column("chip", "First chip", "id", [None if cell is None else cell.chip for cell in first]),
            Column("y", "Row of chips", "id", [cell.row if cell and cell.has_grid else None for cell in first]),
        ]
    return Table("rows", "Rows", columns)


def _series(id: str, title: str, rows: Sequence[MapRow], grid: Grid, ticks: Ints, whole: Ints) -> Series:
    """A map of shares of `whole` in hundredths; a share above 0 stays above it."""
    shares = np.round(ticks / whole, 2)
    shares = np.where(ticks > 0, np.maximum(shares, 0.01), 0.0)
    columns = [
        Column(f"row{number}", row.name, "fraction", shares[number], total="none") for number, row in enumerate(rows)
    ]
    return Series(id, title, "heat", Column("time", "Time", "time", grid.starts), columns)


_NOUNS: Final = {"host": ("host is", "hosts are"), "process": ("process is", "processes are")}


def _sentence(answer: Answer, tick_ps: int) -> str:
    figures = Figures(answer, tick_ps)
    table = figures.table("rows")
    if table is None:
        return "None of these tracks has slices"
    nouns = _NOUNS.get(str(figures.value("level")), ("track is", "tracks are"))
    parts = plural(figures.count("parts"), *nouns)
    text = f"{parts} busy {figures.text('share')} of the time"
    last = figures.greatest("rows", "late")
    if last is None:
        return text
    name, late = (figures.cell("rows", column, last) for column in ("name", "late"))
    return f"{text}; {name} is behind the others for {late}"


TOOL: Final = Tool(
    id="heat_map",
    title="Heat map",
    help="how busy hosts or tracks are over time, thousands of them at once",
    group="waiting",
    question=HeatMapQuestion,
    answer=_answer,
    sentence=_sentence,
)
