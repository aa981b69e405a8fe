"""Flows as a table: from slice to slice, those of the files and launches that both slices' correlation tells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.lookup.flow_ends import flow_ends
from tilescope.tiler.lookup.launches import launches_of_track
from tilescope.tiler.lookup.slices import slice_starts
from tilescope.tiler.query import QueryReader
from tilescope.tiler.records.launches import LaunchWay
from tilescope.tiler.tables.batch import Batch
from tilescope.tiler.tables.column import flag, integer
from tilescope.tiler.tables.table import TableKind, TablePart

Ints = NDArray[np.int64]
Columns = tuple[NDArray[np.int64] | NDArray[np.bool_], ...]

_COLUMNS: Final = (
    integer("from_track", "track of the slice that it leaves"),
    integer("from_ordinal", "rank of that slice on its track"),
    integer("from_time", "ticks: when it leaves"),
    integer("to_track", "track of the slice at which it arrives"),
    integer("to_ordinal", "rank of that slice on its track"),
    integer("to_time", "ticks: when it arrives"),
    flag("derived", "no flow of the files: a launch and its work, which have one correlation"),
)


def _scan(reader: QueryReader, columns: Sequence[str], part: TablePart, /) -> Iterator[Batch]:
    """Flows by the track that they leave, then launches by the track of the work; on both sides on chosen tracks."""
    tracks = reader.tree.leaves(part.tracks)
    is_chosen = np.zeros(len(reader.tree.tracks), np.bool_)
    is_chosen[tracks] = True
    for flows in chain(_written(reader, tracks), _derived(reader, tracks)):
        from_track, _, from_time, to_track, *_rest = flows
        chosen = is_chosen[from_track] & is_chosen[to_track]
        for track in np.unique(from_track[chosen]).tolist():
            on_track = from_track == track
            chosen[on_track] &= part.windows_of(track).hold(from_time[on_track])
        named = dict(zip((column.name for column in _COLUMNS), flows, strict=True))
        if chosen.any():
            yield Batch({name: named[name][chosen] for name in columns}, int(chosen.sum()))


def _written(reader: QueryReader, tracks: Sequence[int]) -> Iterator[Columns]:
    for track in tracks:
        for chunk in flow_ends(reader.store, track):
            ends = chunk.take(chunk.incoming == 0)
            own = np.full(len(ends), track, np.int64)
            not_derived = np.zeros(len(ends), np.bool_)
            yield (
                own, ends.ordinal, ends.tick, ends.partner_track, ends.partner_ordinal, ends.partner_tick, not_derived,
            )  # fmt: skip


def _derived(reader: QueryReader, tracks: Sequence[int]) -> Iterator[Columns]:
    for track in tracks:
        for chunk in launches_of_track(reader.store, track):
            launches = chunk.take(chunk.way == LaunchWay.CORRELATION)
            start = np.zeros(len(launches), np.int64)
            for partner in np.unique(launches.partner_track).tolist():
                which = np.flatnonzero(launches.partner_track == partner)
                start[which] = slice_starts(reader.store, partner, launches.partner_ordinal[which]).start
            own = np.full(len(launches), track, np.int64)
            work_start = slice_starts(reader.store, track, launches.ordinal).start
            derived = np.ones(len(launches), np.bool_)
            yield launches.partner_track, launches.partner_ordinal, start, own, launches.ordinal, work_start, derived


FLOWS: Final = TableKind("flows", "flows from slice to slice, launches among them", _COLUMNS, _scan, has_tracks=True)
