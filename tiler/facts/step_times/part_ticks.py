"""Ticks of the parts of steps of a host and its devices in stretches of time, where all that is in a step is of it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.facts.busy import Busy, UnsortedPiece
from tilescope.tiler.facts.devices import WorkTrack
from tilescope.tiler.facts.division import TimeFrames
from tilescope.tiler.facts.step_times.event_parts import HOST_PARTS
from tilescope.tiler.facts.step_times.host_tracks import HostTracks, stream_codes, thread_codes
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.store.two_threads import worked_aside

Ints = NDArray[np.int64]

# In the order in which they hide each other; the first part is what is left.
_HIDING: Final = range(len(HOST_PARTS) - 1, 0, -1)


def part_ticks(reader: QueryReader, tracks: HostTracks, begin: Ints, end: Ints) -> Interruptible[Ints]:
    """Ticks of each of `HOST_PARTS` in stretches, shape (n, parts); none of the first. No two stretches share a tick.

    Raises DamagedStore, NotBuilt.
    """
    of_threads = yield from thread_codes(reader, tracks)
    of_streams = yield from stream_codes(reader, tracks)
    all_tracks = [WorkTrack(track, of_streams.get(track, of_threads)) for track in (*tracks.threads, *tracks.streams)]
    ticks = np.zeros((len(begin), len(HOST_PARTS)), np.int64)
    order = np.argsort(begin, kind="stable")
    order = order[end[order] > begin[order]]
    if not len(order):
        return ticks
    stretches = TimeFrames(begin[order], end[order])
    pieces = Busy(reader, all_tracks, left_out=_markers(tracks)).unsorted_pieces(stretches.windows)
    for piece in worked_aside(pieces, partial(_divided, stretches)):
        if piece is not None:
            numbers, of_piece = piece
            ticks[order[numbers]] += of_piece
        yield
    return ticks


def _markers(tracks: HostTracks) -> Mapping[int, Ints]:
    """Ordinals of the slices that are steps, by track, ascending: they are no parts of them."""
    return {
        track: np.unique(np.concatenate([series.rows.ordinal[series.rows.track == track] for series in tracks.series]))
        for series in tracks.series
        for track in series.tracks
    }


def _divided(stretches: TimeFrames, piece: UnsortedPiece) -> tuple[slice, Ints]:
    """The places of some stretches, and their ticks in a piece."""
    within = stretches.within(piece.windows)
    tracks = piece.kinds()
    sets = [(place, kinds[code]) for place, code in enumerate(_HIDING) for kinds in tracks if len(kinds[code])]
    ticks, _ = _native.divided_time(
        within.begin,
        within.end,
        [(windows.starts, windows.stops) for _, windows in sets],
        [place for place, _ in sets],
        len(_HIDING),
        len(_HIDING),
    )
    of_parts = np.zeros((len(within.begin), len(HOST_PARTS)), np.int64)
    of_parts[:, _HIDING] = ticks.reshape(len(_HIDING), -1).T
    return within.numbers, of_parts
