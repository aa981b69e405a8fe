"""How dense hits are: for the bins of a view, how many start in each, and how long they are busy in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.query import QueryReader, Steps
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.search.hits import Finder, add
from tilescope.tiler.search.leaves import leaves
from tilescope.tiler.search.selection import Selection
from tilescope.tiler.windows import Windows, everywhere

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class HitDensity:
    """Bins with something in them, by track, then by time; columns of shape (n,)."""

    level: int  # a bin is 4**level ticks wide
    track: Ints
    start: Ints  # first tick of the bin
    count: Ints  # hits that start in it
    busy: Ints  # ticks of hits in it, each by itself; at most 2**62


def density(reader: QueryReader, selection: Selection, span: TickRange, level: int) -> Steps[HitDensity]:
    """Of all bins of a level that a span touches, as a whole. Raises DamagedStore."""
    shift = 2 * level
    first, last = span.start >> shift, (max(span.stop - 1, span.start) >> shift) + 1
    windows = Windows.one(first << shift, last << shift)
    number = np.zeros(len(reader.tree.tracks), np.int64)
    number[list(selection.tracks)] = np.arange(len(selection.tracks))
    bins = _native.HitBins(
        selection.names,
        selection.shortest,
        selection.longest,
        windows.starts,
        windows.stops,
        level,
        first,
        last - first,
        len(selection.tracks),
    )
    finder = Finder(reader, selection, reaching=True) if selection.arguments else None
    for some in leaves(reader, selection, everywhere(windows), reaching=True):
        if finder is not None:
            for of_page in some.by_page():
                hits = yield from finder.find(of_page)
                bins.put(number[hits.track], hits.start, hits.start + hits.duration)
            continue
        for of_page in some.by_page():
            add(bins, reader, of_page, number[of_page.tracks])
            yield
    track, bin, count, busy = bins.sums()
    of_track: Sequence[int] = selection.tracks
    return HitDensity(level, np.array(of_track, np.int64)[track], (bin + first) << shift, count, busy)
