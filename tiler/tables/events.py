"""Slices, instants and samples of counters: three tables of events, read page by page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

import numpy as np

from tilescope.tiler.pages import TRACKS_PER_BLOCK
from tilescope.tiler.query import EventPlan, LeafRun, QueryReader, finish
from tilescope.tiler.query.event_columns import EventColumns, are_within, event_columns
from tilescope.tiler.tables.batch import Batch
from tilescope.tiler.tables.event_rows import EVENT_COLUMNS, event_batch, needed
from tilescope.tiler.tables.name_words import NameWords
from tilescope.tiler.tables.table import BATCH_ROWS, TableKind, TablePart
from tilescope.tiler.windows import Mask


def _scan(kinds: frozenset[str], reader: QueryReader, columns: Sequence[str], part: TablePart, /) -> Iterator[Batch]:
    names = NameWords()
    waiting: list[EventColumns] = []
    count = 0
    for events in _parts(kinds, reader, needed(columns), part):
        waiting.append(events)
        count += len(events)
        if count >= BATCH_ROWS:
            yield _batch(reader, waiting, columns, names)
            waiting, count = [], 0
    if count:
        yield _batch(reader, waiting, columns, names)


def _batch(reader: QueryReader, parts: Sequence[EventColumns], columns: Sequence[str], names: NameWords) -> Batch:
    if {"name", "category"} & set(columns):
        ids = names.unread(np.concatenate([events.columns["name"] for events in parts]))
        names.add(ids, ((name.text, name.category) for name in map(reader.names.__getitem__, ids)))
    return event_batch(parts, columns, names)


def _parts(
    kinds: frozenset[str], reader: QueryReader, columns: Sequence[str], part: TablePart
) -> Iterator[EventColumns]:
    """The events by track and ordinal, page by page."""
    wanted = None if part.names is None else _mask(reader, part.names)
    read = columns if wanted is None or "name" in columns else [*columns, "name"]
    for track in reader.tree.leaves(part.tracks, kinds):
        if reader.tree.tracks[track].events == 0:
            continue
        plan = reader.plan(track, part.windows_of(track))
        is_counter = reader.tree.kind(track) == "counter"
        for run in plan.leaf_runs if wanted is None else _with_names(reader, plan, wanted):
            events = event_columns(plan, run, reader.page_content(run.page), read, is_counter=is_counter)
            if wanted is not None:
                events = events.take(wanted[events.columns["name"] + 1])
            if len(events):
                yield events


def _mask(reader: QueryReader, names: frozenset[str]) -> Mask:
    """True for each name that is one of these, that of events without a name first, which is an empty text."""
    mask = finish(reader.names.numbers(lambda name: name.text in names)).astype(np.bool_)
    mask[0] = "" in names
    return mask


def _with_names(reader: QueryReader, plan: EventPlan, names: Mask) -> list[LeafRun]:
    """Leaves on whose pages some names start, and those at borders of windows, into which others reach."""
    has_names = reader.pages_with_names(plan.track // TRACKS_PER_BLOCK, names)
    return [run for run in plan.leaf_runs if has_names[run.first_of_page] or not are_within(plan, run).all()]


_SLICE: Final = ("track", "ordinal", "name", "category", "start", "duration", "end", "row", "open", "flags")
_INSTANT: Final = ("track", "ordinal", "name", "category", "start", "flags")
_SAMPLE: Final = ("track", "ordinal", "start", "value")


def _table(name: str, doc: str, columns: Sequence[str], kinds: frozenset[str]) -> TableKind:
    described = [EVENT_COLUMNS[column].column for column in columns]
    return TableKind(name, doc, described, partial(_scan, kinds), has_tracks=True, has_names="name" in columns)


SLICES: Final = _table("slices", "what lasts for some time: one row for each", _SLICE, frozenset({"slice", "async"}))
INSTANTS: Final = _table("instants", "moments on tracks of their own", _INSTANT, frozenset({"instant"}))
COUNTERS: Final = _table("counters", "samples of counters, each from its start on", _SAMPLE, frozenset({"counter"}))
