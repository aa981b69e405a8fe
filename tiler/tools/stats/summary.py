"""What windows of some tracks are made of, name by name: exactly, from histograms and leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tilescope.tiler.pages import BUSY_LIMIT, Histogram, sum_by_name
from tilescope.tiler.query.names import Name
from tilescope.tiler.query.reader import QueryReader
from tilescope.tiler.query.reading import Reading
from tilescope.tiler.query.steps import Steps
from tilescope.tiler.windows import WindowsOf

# Parts are summed up as soon as together they have so many rows: memory does not grow with the number of tracks.
_ROWS_AT_ONCE = 200_000


@dataclass(frozen=True, slots=True)
class Summary:
    """The answer. `rows` are the busiest names; all names together have `total`, those without a row `rest`.

    Counts are of events that start in a window; times are ticks within one. `names` has the name of each row.
    """

    tracks: Sequence[int]  # those that hold the events, ascending
    n_names: int
    rows: Histogram
    rest: Histogram  # no row, or one
    total: Histogram  # one row
    names: dict[int, Name]


def summary(reader: QueryReader, windows_of: WindowsOf, tracks: Sequence[int] | None, limit: int) -> Steps[Summary]:
    """Sums up the events of some tracks (None: all) in the windows of each; at most `limit` rows, the busiest names.

    A rollup stands for its tracks; each track counts once. Counters have no names and are left out. Raises UsageError
    for an unknown track, and DamagedStore.
    """
    leaves = reader.tree.leaves(tracks)
    busy = sum(int(reader.tree.tracks[track]["busy"]) for track in leaves)
    exact = np.int64 if busy < BUSY_LIMIT else object
    reading = Reading(reader)
    parts = [sum_by_name([], exact)]
    rows_in_parts = 0
    for part in reading.histogram_parts(leaves, windows_of):
        parts.append(part)
        rows_in_parts += len(part)
        if rows_in_parts > _ROWS_AT_ONCE:
            parts = [sum_by_name(parts, exact)]
            rows_in_parts = len(parts[0])
        yield
    summed = sum_by_name(parts, exact)
    rows, rest = summed.take(slice(limit)), summed.take(slice(limit, None))
    names = reader.names.of(rows.name.tolist())
    return Summary(leaves, len(summed), rows, _one_row(rest) if len(rest) else rest, _one_row(summed), names)


def _one_row(rows: Histogram) -> Histogram:
    sums = (rows.count.sum(), rows.busy.sum(), rows.self_busy.sum())
    longest = rows.longest.max(initial=0)
    return Histogram(np.array([-1]), *(np.array([value]) for value in (*sums, longest)))
