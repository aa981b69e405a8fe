"""Arguments of events as a table: a row for each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from tilescope.tiler.query import EVENT_KINDS, ArgumentReader, QueryReader
from tilescope.tiler.query.event_columns import event_columns
from tilescope.tiler.tables.column import integer, real, text
from tilescope.tiler.tables.made_rows import Cell, Row, made_table
from tilescope.tiler.tables.table import TablePart

_INT64: Final = 1 << 63


def _arguments(reader: QueryReader, part: TablePart) -> Iterator[Row]:
    arguments = ArgumentReader(reader.store)
    for track in reader.tree.leaves(part.tracks, EVENT_KINDS):
        if reader.tree.tracks[track].events == 0:
            continue
        plan = reader.plan(track, part.windows_of(track))
        is_counter = reader.tree.kind(track) == "counter"
        for run in plan.leaf_runs:
            content = reader.page_content(run.page)
            events = event_columns(plan, run, content, ("ordinal",), is_counter=is_counter)
            ordinals = events.columns["ordinal"].tolist()
            for ordinal, of_event in zip(ordinals, arguments.decoded(track, ordinals), strict=True):
                for key, value in of_event:
                    yield track, ordinal, key, *_cells(value)


def _cells(value: object) -> tuple[Cell, Cell, Cell]:
    """The value as text, as whole number of 64 bits, and as double."""
    if isinstance(value, str):
        return value, None, None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return json.dumps(value, default=str), None, None
    if isinstance(value, float):
        return repr(value), None, value
    return str(value), value if -_INT64 <= value < _INT64 else None, float(value) if abs(value) < _INT64 else None


ARGUMENTS: Final = made_table(
    "args",
    "arguments of events: a row for each",
    (
        integer("track", "track of the event"),
        integer("ordinal", "rank of the event on its track"),
        text("key", "name of the argument"),
        text("text", "its value as text; JSON where it is neither text nor number"),
        integer("integer", "its value where it is a whole number of 64 bits", is_nullable=True),
        real("real", "its value where it is a number", is_nullable=True),
    ),
    _arguments,
    has_tracks=True,
)
