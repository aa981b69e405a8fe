"""Processes of the ends of async slices, where several processes use an id.

Writers use the same ids in several processes, and some begin a slice in one process and end it in another. So an end
belongs to its own process where that has an open begin of the id, else to the process that began last of those that
have one; else to its own, and is alone. That is decided in the order of time when the whole file is known, and an end
that belongs elsewhere moves to the track of its begin. The order in the file matters only between events of one time:
an end that moves comes behind the events of that time in the process that it moves to.

Ids are compared within a category. Those of many begins and ends are looked at in shares, so that what is in memory is
bounded.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.columns import EventChunk, Phase, TraceSummary, TrackKind
from tilescope.tiler.indexing.reading.gather import Gatherer
from tilescope.tiler.readers.memory_budget import SHARED_ASYNC_BYTES, Room

Ints = NDArray[np.int64]

_MIX = np.uint64(0x9E3779B97F4A7C15)


class _Rows(Struct, frozen=True):
    """Begins and ends in one piece of a track."""

    track: int
    piece: int  # of the track
    rows: Ints
    events: EventChunk

    def key(self) -> Ints:
        assert self.events.key is not None
        return self.events.key[self.rows]

    def only(self, which: NDArray[np.bool_]) -> _Rows:
        return _Rows(self.track, self.piece, self.rows[which], self.events)


def move_async_ends(gathered: Gatherer, summary: TraceSummary, path: Path | str = "", room: Room | None = None) -> None:
    """Moves the ends that belong to other processes, once the file has been read.

    Raises TooMany when more begins and ends share an id than there is room for.
    """
    at_once = (room or Room()).bytes // SHARED_ASYNC_BYTES
    for tracks in _by_category(summary):
        shares = max(1, -(-2 * sum(map(gathered.rows_of, tracks)) // at_once))
        for share in range(shares):
            shared_rows = _in_several(list(_begins_and_ends(gathered, tracks, share, shares)))
            if sum(len(part.rows) for part in shared_rows) > at_once:
                what = f"uses ids of async slices in several processes, more than {at_once:,} times each"
                raise (room or Room()).error(path, what)
            if shared_rows:
                _move(gathered, shared_rows)


def _by_category(summary: TraceSummary) -> list[list[int]]:
    """Tracks of async slices that may use the same ids."""
    tracks: dict[str, list[int]] = {}
    for number, track in enumerate(summary.tracks):
        if track.kind == TrackKind.ASYNC:
            tracks.setdefault(track.name, []).append(number)
    return [several for several in tracks.values() if len(several) > 1]


def _begins_and_ends(gathered: Gatherer, tracks: list[int], share: int, shares: int) -> Iterator[_Rows]:
    """Begins and ends of the tracks whose ids fall into this share."""
    for track in tracks:
        for number, piece in enumerate(gathered.pieces(track)):
            if piece.key is None:
                continue
            wanted = piece.phase <= Phase.END
            if shares > 1:
                mixed = piece.key.view(np.uint64) * _MIX >> np.uint64(32)
                wanted &= mixed % np.uint64(shares) == share
            rows = np.flatnonzero(wanted)
            if len(rows):
                yield _Rows(track, number, rows, piece)


def _in_several(parts: list[_Rows]) -> list[_Rows]:
    """The begins and ends of ids that several of the tracks use."""
    ids = {track: np.unique(np.concatenate(keys)) for track, keys in _keys_by_track(parts).items()}
    if len(ids) < 2:
        return []
    distinct, tracks = np.unique(np.concatenate(list(ids.values())), return_counts=True)
    shared = distinct[tracks > 1]
    if not len(shared):
        return []
    kept = [part.only(_among(part.key(), shared)) for part in parts]
    return [part for part in kept if len(part.rows)]


def _keys_by_track(parts: list[_Rows]) -> dict[int, list[Ints]]:
    keys: dict[int, list[Ints]] = {}
    for part in parts:
        keys.setdefault(part.track, []).append(part.key())
    return keys


def _among(values: Ints, ordered: Ints) -> NDArray[np.bool_]:
    """True for each value that is among the ordered ones."""
    places = np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)
    among: NDArray[np.bool_] = ordered[places] == values
    return among


def _move(gathered: Gatherer, shared_rows: list[_Rows]) -> None:
    counts = [len(part.rows) for part in shared_rows]
    key = np.concatenate([part.key() for part in shared_rows])
    track = np.repeat(np.array([part.track for part in shared_rows], np.int64), counts)
    group = np.unique(key, return_inverse=True)[1]
    tracks, of_track = np.unique(track, return_inverse=True)
    users, user = np.unique(group * len(tracks) + of_track, return_inverse=True)  # an id in a process
    times = [_times(part) for part in shared_rows]
    time_ns, time_ps, phase = (np.concatenate(column) for column in zip(*times, strict=True))
    home = _native.async_homes(group, time_ns, time_ps, user, phase, len(users))
    moves = home != user
    if not moves.any():
        return
    to = tracks[users[home] % len(tracks)].astype(np.int32)
    stops = np.cumsum(counts)
    for part, start, stop in zip(shared_rows, (stops - counts).tolist(), stops.tolist(), strict=True):
        here = moves[start:stop]
        if here.any():
            gathered.move(part.track, part.piece, part.events, part.rows[here], to[start:stop][here])


def _times(part: _Rows) -> tuple[Ints, Ints, NDArray[np.uint8]]:
    events, rows = part.events, part.rows
    time_ps = np.zeros(len(rows), np.int64) if events.time_ps is None else events.time_ps[rows].astype(np.int64)
    return events.time_ns[rows], time_ps, events.phase[rows]
