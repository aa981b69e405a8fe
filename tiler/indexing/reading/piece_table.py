"""Table of pieces: which rows of which chunks belong to which track.

A file of ten million events on 150 tracks has a hundred thousand pieces: they are numbers in arrays, not objects.
"""

from __future__ import annotations

import threading

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from tilescope.tiler.columns import EventChunk
from tilescope.tiler.indexing.reading.joining import ChunkInPieces, ChunkPiece, TrackPieces

Ints = NDArray[np.int64]


class _Added(Struct):
    """The pieces of one chunk, which are of tracks that ascend."""

    tracks: NDArray[np.int32]
    stops: Ints
    chunk: int


class _Sorted(Struct):
    """Pieces by track, of one track as they were added. Columns of one shape."""

    track: NDArray[np.int32]
    chunk: Ints
    start: Ints
    stop: Ints

    def slice_of(self, track: int) -> slice:
        """Slice of the rows of a track."""
        # Numbers of another type would have the whole column copied for each track.
        first, last = self.track.searchsorted(np.array((track, track + 1), self.track.dtype)).tolist()
        return slice(first, last)


class PieceTable(Struct):
    """Takes chunks whose rows are in the order of their tracks; gives the pieces of a track, each once."""

    _chunks: list[ChunkInPieces | None] = field(default_factory=list)  # None: all of its pieces are given
    _left: list[int] = field(default_factory=list)  # how many pieces of each are not
    _added: list[_Added] = field(default_factory=list)  # since all was sorted
    _sorted: _Sorted | None = None
    _rows: dict[int, int] = field(default_factory=dict)  # by track
    _uncounted: list[_Added] = field(default_factory=list)  # of these, not yet
    _behind: dict[int, list[tuple[int, int, int]]] = field(default_factory=dict)  # by track, since all was sorted
    _taken: set[int] = field(default_factory=set)  # tracks
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, chunk: EventChunk, tracks: NDArray[np.int32], stops: Ints) -> None:
        """`stops` are the rows where those of the tracks end, which ascend. The chunk is kept."""
        added = _Added(tracks, stops, self._keep(ChunkInPieces.from_chunk(chunk), len(tracks)))
        self._added.append(added)
        self._uncounted.append(added)
        if self._sorted is not None:  # a few rows that move: nothing is sorted for them until tracks are taken
            starts = [0, *stops[:-1].tolist()]
            for track, start, stop in zip(tracks.tolist(), starts, stops.tolist(), strict=True):
                self._behind.setdefault(track, []).append((added.chunk, start, stop))

    def rows_of(self, track: int) -> int:
        """Number of rows of a track that were added, and not replaced."""
        if self._uncounted:
            with self._lock:
                self._count()
        return self._rows.get(track, 0)

    def pieces(self, track: int) -> list[ChunkPiece]:
        """Pieces of a track that was not taken, in the order in which they were added."""
        table = self._sorted or self._in_order()
        rows_of_track = table.slice_of(track)
        columns = zip(
            table.chunk[rows_of_track].tolist(),
            table.start[rows_of_track].tolist(),
            table.stop[rows_of_track].tolist(),
            strict=True,
        )
        rows = [*columns, *self._behind.get(track, ())]
        slices = ((self._chunks[chunk], start, stop) for chunk, start, stop in rows)
        return [ChunkPiece(chunk, start, stop) for chunk, start, stop in slices if chunk is not None]

    def replace(self, track: int, number: int, piece: EventChunk) -> None:
        """Puts other rows, all of a chunk, in the place of the piece that `pieces` had there."""
        table = self._sorted
        assert table is not None
        position = table.slice_of(track).start + number
        if position >= table.slice_of(track).stop:
            table = self._in_order()
            position = table.slice_of(track).start + number
        self._give(int(table.chunk[position]))
        self._rows[track] = self.rows_of(track) + len(piece) - int(table.stop[position] - table.start[position])
        table.chunk[position] = self._keep(ChunkInPieces.from_chunk(piece), 1)
        table.start[position], table.stop[position] = 0, len(piece)

    def take(self, track: int) -> TrackPieces:
        """The pieces of a track, once; then none. Chunks are forgotten with the last of their pieces."""
        with self._lock:
            table = self._in_order()
            rows_of_track = slice(0) if track in self._taken else table.slice_of(track)
            self._taken.add(track)
        return TrackPieces(
            self._chunks,
            table.chunk[rows_of_track].tolist(),
            table.start[rows_of_track],
            table.stop[rows_of_track],
            self._given,
        )

    def _count(self) -> None:
        added, self._uncounted = self._uncounted, []
        if not added:
            return
        tracks, place = np.unique(np.concatenate([addition.tracks for addition in added]), return_inverse=True)
        rows = np.zeros(len(tracks), np.int64)
        np.add.at(rows, place, np.concatenate([np.diff(addition.stops, prepend=0) for addition in added]))
        for track, count in zip(tracks.tolist(), rows.tolist(), strict=True):
            self._rows[track] = self._rows.get(track, 0) + count

    def _given(self, chunks: list[int]) -> None:
        with self._lock:
            for chunk in chunks:
                self._give(chunk)

    def _give(self, chunk: int) -> None:
        self._left[chunk] -= 1
        if not self._left[chunk]:
            self._chunks[chunk] = None

    def _keep(self, chunk: ChunkInPieces, pieces: int) -> int:
        self._chunks.append(chunk)
        self._left.append(pieces)
        return len(self._chunks) - 1

    def _in_order(self) -> _Sorted:
        """All pieces, also those that were added since."""
        before, added = self._sorted, self._added
        if before is not None and not added:
            return before
        tracks = [addition.tracks for addition in added]
        starts = [np.concatenate([[0], addition.stops[:-1]]) for addition in added]
        stops = [addition.stops for addition in added]
        chunks = [np.full(len(addition.tracks), addition.chunk) for addition in added]
        if before is not None:
            tracks, chunks = [before.track, *tracks], [before.chunk, *chunks]
            starts, stops = [before.start, *starts], [before.stop, *stops]
        if not tracks:
            nothing = np.zeros(0, np.int64)
            return _Sorted(np.zeros(0, np.int32), nothing, nothing, nothing)
        track = np.concatenate(tracks)
        order = np.argsort(track, kind="stable")
        columns = (np.concatenate(parts)[order] for parts in (chunks, starts, stops))
        self._sorted, self._added = _Sorted(track[order], *columns), []
        self._behind.clear()
        return self._sorted
