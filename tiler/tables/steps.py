"""Steps of training as a table: on each device and host that marks some."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tilescope.tiler.query import QueryReader
from tilescope.tiler.tables.column import flag, integer, text
from tilescope.tiler.tables.made_rows import Row, made_table
from tilescope.tiler.tables.table import TablePart


def _steps(reader: QueryReader, part: TablePart) -> Iterator[Row]:
    chosen = None if part.tracks is None else set(reader.tree.leaves(part.tracks))
    for series in reader.steps.series:
        source, rows = series.source_text(reader.tree), series.rows
        for k in range(len(rows)):
            track, start, end = int(rows.track[k]), int(rows.start[k]), int(rows.stop[k])
            if chosen is not None and track not in chosen:
                continue
            if not part.windows_of(track).meet(rows.start[k : k + 1], rows.stop[k : k + 1]).all():
                continue
            slice_place = (track, int(rows.ordinal[k])) if track >= 0 else (None, None)
            yield (
                int(rows.number[k]), int(rows.pass_[k]), series.process, start, end, end - start,
                bool(rows.is_open[k]), source, *slice_place,
            )  # fmt: skip


STEPS: Final = made_table(
    "steps",
    "steps of training, one row for each on each process that marks it",
    (
        integer("step", "its number"),
        integer("pass", "from 0: where numbering begins anew, one ends"),
        integer("process", "id of the process that has it"),
        integer("start", "ticks since the origin"),
        integer("end", "ticks since the origin"),
        integer("duration", "ticks"),
        flag("open", "the trace ended before it did"),
        text("source", "what marks it"),
        integer("track", "track of the slice that is the step", is_nullable=True),
        integer("ordinal", "rank of that slice on its track", is_nullable=True),
    ),
    _steps,
    has_tracks=True,
)
