"""Gathers chunks per track: from the order of the file to the order of the tracks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.columns import Activity, Census, Crowd, EventChunk, Span
from tilescope.tiler.indexing.reading.arguments import gather_args
from tilescope.tiler.indexing.reading.joining import ChunkInPieces, ChunkPiece, join_pieces
from tilescope.tiler.indexing.reading.piece import in_order, kept, select
from tilescope.tiler.indexing.reading.timed import FileAxis, TimedEvents
from tilescope.tiler.indexing.scratch import Scratch

Ints = NDArray[np.int64]


@dataclass(slots=True)
class Gatherer:
    """Takes a file's chunks, gives its tracks: `FileEvents` for readers that give events in the order of the file."""

    scratch: Scratch = field(default_factory=Scratch)
    texts: _native.PackedTexts | None = None  # arguments are texts: they are kept packed
    census: Census = field(default_factory=Census)
    events: int = 0  # without flow ends
    flow_ends: int = 0
    _pieces: dict[int, list[ChunkPiece]] = field(default_factory=dict)
    _rows: dict[int, int] = field(default_factory=dict)
    _activities: _native.Activities = field(default_factory=_native.Activities)

    def add(self, chunk: EventChunk) -> None:
        """Takes a chunk. Its arrays are kept."""
        if not len(chunk):
            return
        events = self.census.add(chunk)
        self.events += events
        self.flow_ends += len(chunk) - events
        self._activities.add(chunk.track, chunk.phase, chunk.time_ns, chunk.duration_ns)
        if self.texts is not None:
            args_end, args = self.texts.pack(chunk.args_end, chunk.args)
            chunk = replace(chunk, args_end=args_end, args=args)
        self._place(chunk)

    def pieces(self, track: int) -> Sequence[EventChunk]:
        """A track's events, in file order."""
        return [piece.events(track) for piece in self._pieces.get(track, ())]

    def move(self, track: int, number: int, rows: Ints, to: NDArray[np.int32]) -> None:
        """Moves rows of a track's piece behind all events of other tracks. The piece stays."""
        piece = self._pieces[track][number].events(track)
        moved = select(piece, rows, self.scratch)
        left = select(piece, np.delete(np.arange(len(piece)), rows), self.scratch)
        self._pieces[track][number] = ChunkPiece(ChunkInPieces.of(left), 0, len(left))
        self._rows[track] -= len(rows)
        self._place(replace(moved, track=to))

    def _place(self, chunk: EventChunk) -> None:
        order = _order_by_track(chunk.track)
        tracks = chunk.track if order is None else chunk.track[order]
        events = kept(chunk, self.scratch) if order is None else _sorted(chunk, tracks, order, self.scratch)
        starts = np.flatnonzero(np.diff(tracks, prepend=tracks[0] - 1))
        chunk_in_pieces = ChunkInPieces.of(events)
        stops = [*starts[1:].tolist(), len(tracks)]
        for start, stop, track in zip(starts.tolist(), stops, tracks[starts].tolist(), strict=True):
            self._pieces.setdefault(track, []).append(ChunkPiece(chunk_in_pieces, start, stop))
            self._rows[track] = self._rows.get(track, 0) + stop - start

    @property
    def span(self) -> Span:
        """From when to when all of them last, so far."""
        return self.census.span()

    def crowds(self) -> Iterator[Crowd]:
        """When they are, so far."""
        return iter(self.census)

    @property
    def tracks(self) -> int:
        """How many tracks have events so far."""
        return len(self._rows)

    def rows_of(self, track: int) -> int:
        """How many events and flow ends of a track there are so far."""
        return self._rows.get(track, 0)

    def activity_of(self, track: int) -> Activity | None:
        """When a track is busy, as far as its events have been read."""
        shift, first, busy_ns = self._activities.of(track)
        if not len(busy_ns):
            return None
        return Activity((first << shift) * 1000, 1000 << shift, busy_ns / np.float64(1 << shift))

    def take(self, track: int, axis: FileAxis, scratch: Scratch) -> TimedEvents | None:
        """The events of a track, which are forgotten here."""
        pieces = self._pieces.pop(track, None)
        if pieces is None:
            return None
        return join_pieces(pieces, track, axis, scratch) if self._rows[track] else None


def _order_by_track(track: NDArray[np.int32]) -> NDArray[np.int64] | None:
    """The order that brings events of one track together and leaves each track's in file order; None: they are."""
    if (track[1:] >= track[:-1]).all():
        return None
    # numpy sorts 16-bit integers in linear time, wider ones several times slower.
    narrow = track.astype(np.uint16) if track.min() >= 0 and track.max() < 1 << 16 else track
    return np.argsort(narrow, kind="stable")


def _sorted(chunk: EventChunk, tracks: NDArray[np.int32], order: Ints, scratch: Scratch) -> EventChunk:
    """The chunk's events in the order of the tracks."""
    args_end, args = gather_args(Scratch(), chunk.args_end, chunk.args, order)
    return in_order(chunk, tracks, order, (scratch.keep(args_end), scratch.keep(args)), scratch)
