"""Which process the ends of async slices belong to, where several processes use an identity.

Writers use the same ids in several processes, and some begin a slice in one process and end it in another. So an end
belongs to its own process where that has an open begin of the identity, else to the process that began last of those
that have one; else to its own, and is alone. That is decided in the order of time when the whole file is known, and an
end that belongs elsewhere moves to the track of its begin. The order in the file matters only between events of one
time: an end that moves comes behind the events of that time in the process that it moves to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.build.gather import Gatherer
from tilescope.tiler.build.piece import TrackEvents
from tilescope.tiler.columns import Phase, TraceSummary, TrackKind

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Rows:
    """Begins and ends of shared identities in one piece of a track."""

    track: int
    piece: int  # of the track
    rows: Ints
    events: TrackEvents


def move_async_ends(gathered: Gatherer, summary: TraceSummary) -> None:
    """Moves the ends that belong to other processes, once the file has been read."""
    identity = np.frombuffer(summary.async_identities, np.int32)
    if not (identity >= 0).any():
        return
    shared = _shared_rows(gathered, summary, identity)
    if not shared:
        return
    columns = [np.concatenate(parts) for parts in zip(*map(_columns, shared), strict=True)]
    time_ns, time_ps, key, phase = columns
    home = _native.async_homes(identity[key].astype(np.int64), time_ns, time_ps, key, phase, len(identity))
    moves = home != key
    if not moves.any():
        return
    counts = [len(part.rows) for part in shared]
    track_of = np.full(len(identity), -1, np.int32)
    track_of[key] = np.repeat(np.array([part.track for part in shared], np.int32), counts)
    stops = np.cumsum(counts)
    for part, start, stop in zip(shared, (stops - counts).tolist(), stops.tolist(), strict=True):
        here = moves[start:stop]
        if here.any():
            key_there = home[start:stop][here]
            gathered.move(part.track, part.piece, part.rows[here], track_of[key_there], key_there)


def _shared_rows(gathered: Gatherer, summary: TraceSummary, identity: NDArray[np.int32]) -> Sequence[_Rows]:
    found = []
    for track, about in enumerate(summary.tracks):
        if about.kind != TrackKind.ASYNC:
            continue
        for number, piece in enumerate(gathered.pieces(track)):
            if piece.key is not None:
                rows = np.flatnonzero((identity[piece.key] >= 0) & (piece.phase <= Phase.END))
                if len(rows):
                    found.append(_Rows(track, number, rows, piece))
    return found


def _columns(part: _Rows) -> tuple[Ints, Ints, Ints, NDArray[np.uint8]]:
    events, rows = part.events, part.rows
    assert events.key is not None
    time_ps = np.zeros(len(rows), np.int64) if events.time_ps is None else events.time_ps[rows].astype(np.int64)
    return events.time_ns[rows], time_ps, events.key[rows], events.phase[rows]
