"""Gathers chunks per track: from the order of the file to the order of the tracks."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future, wait
from dataclasses import replace
from typing import Final

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.columns import Activity, Census, Crowd, EventChunk, Phase, Span
from tilescope.tiler.indexing.reading.batch import ChunkBatch
from tilescope.tiler.indexing.reading.joining import join_pieces
from tilescope.tiler.indexing.reading.piece import kept, native_columns, one_track, select
from tilescope.tiler.indexing.reading.piece_table import PieceTable
from tilescope.tiler.indexing.reading.timed import FileAxis, TimedEvents
from tilescope.tiler.indexing.scratch import Scratch

Ints = NDArray[np.int64]


# Batches of chunks that are sorted at a time, or are sorted and wait for one before. Sorting takes a sixth of what
# reading does, so that two keep up with a dozen readers; each costs memory.
_SORTED_AT_ONCE: Final = 2


class Gatherer(Struct):
    """Takes a file's chunks, gives its tracks: `FileEvents` for readers that give events in the order of the file."""

    scratch: Scratch = field(default_factory=Scratch)
    executor: Executor | None = None  # sorts rows by track while more is read
    texts: _native.PackedTexts | None = None  # what unpacks the arguments, if they come packed
    gives_again: bool = False  # what is given is forgotten
    batch: ChunkBatch = field(default_factory=ChunkBatch)  # chunks that are not among the pieces yet
    census: Census = field(default_factory=Census)
    events: int = 0  # without flow ends
    flow_ends: int = 0
    _pieces: PieceTable = field(default_factory=PieceTable)
    _activities: _native.Activities = field(default_factory=_native.Activities)
    _placing: threading.Lock = field(default_factory=threading.Lock)
    _sorting: deque[Future[_SortedRows]] = field(default_factory=deque)  # in the order of the file

    def add(self, chunk: EventChunk) -> None:
        """Takes a chunk. Its arrays are kept."""
        if not len(chunk):
            return
        self._count(chunk)
        self.batch.add(chunk)
        if not self.batch.is_enough(self.tracks):
            return
        if self.executor is None:
            self._place(self.batch.take())
            return
        self._place_sorted(_SORTED_AT_ONCE - 1)
        self._sorting.append(self.executor.submit(_by_track, self.batch.take(), self.scratch))

    def stop(self) -> None:
        """Waits for what is being sorted. What was added is of no use then, unless all of it was."""
        wait(self._sorting)

    def pieces(self, track: int) -> Sequence[EventChunk]:
        """A track's events, in file order."""
        return [piece.events(track) for piece in self._all_pieces().pieces(track)]

    def move(self, track: int, number: int, piece: EventChunk, rows: Ints, to: NDArray[np.int32]) -> None:
        """Moves rows of a piece that `pieces` has given behind all events of other tracks. The piece stays."""
        moved = select(piece, rows, self.scratch)
        left = select(piece, np.delete(np.arange(len(piece)), rows), self.scratch)
        self._pieces.replace(track, number, left)
        self._place([replace(moved, track=to)])

    def add_last(self, chunk: EventChunk) -> None:
        """Takes a few events behind all others, once the file has been read."""
        self._count(chunk)
        self._place([chunk])

    def remove(self, track: int, number: int, piece: EventChunk, rows: Ints) -> None:
        """Removes rows of a piece that `pieces` has given. The piece stays."""
        left = select(piece, np.delete(np.arange(len(piece)), rows), self.scratch)
        self._pieces.replace(track, number, left)
        flow_ends = int((piece.phase[rows] >= Phase.FLOW_START).sum())
        self.flow_ends -= flow_ends
        self.events -= len(rows) - flow_ends

    def _count(self, chunk: EventChunk) -> None:
        events = self.census.add(chunk)
        self.events += events
        self.flow_ends += len(chunk) - events
        self._activities.add(chunk.track, chunk.phase, chunk.time_ns, chunk.duration_ns)

    def _all_pieces(self) -> PieceTable:
        with self._placing:
            self._place_sorted(0)
            if self.batch:
                self._place(self.batch.take())
            return self._pieces

    def _place(self, chunks: list[EventChunk]) -> None:
        self._pieces.add(*_by_track(chunks, self.scratch))

    def _place_sorted(self, most_left: int) -> None:
        """Places what is sorted, until no more is left. Raises what sorting raised, each time that it is asked for."""
        while len(self._sorting) > most_left:
            self._pieces.add(*self._sorting[0].result())
            self._sorting.popleft()

    @property
    def span(self) -> Span:
        """From when to when all of them last, so far."""
        return self.census.span()

    @property
    def flow_span(self) -> Span:
        """From when to when flow ends are, so far."""
        return self.census.flow_span()

    def crowds(self) -> Iterator[Crowd]:
        """Times of the events so far, in crowds."""
        return iter(self.census)

    @property
    def tracks(self) -> int:
        """Number of tracks that have events so far."""
        return self._activities.tracks

    def rows_of(self, track: int) -> int:
        """Number of events and flow ends of a track so far."""
        return self._all_pieces().rows_of(track)

    def activity_of(self, track: int) -> Activity | None:
        """Busy times of a track, as far as its events have been read."""
        shift, first, busy_ns = self._activities.of(track)
        if not len(busy_ns):
            return None
        return Activity((first << shift) * 1000, 1000 << shift, busy_ns / np.float64(1 << shift))

    def take(self, track: int, axis: FileAxis, scratch: Scratch) -> TimedEvents | None:
        """The events of a track, which are forgotten here."""
        if not self.rows_of(track):
            return None
        pieces = self._pieces.take(track)
        return join_pieces(pieces, track, axis, scratch) if pieces.numbers else None


_SortedRows = tuple[EventChunk, NDArray[np.int32], Ints]


def _by_track(chunks: list[EventChunk], scratch: Scratch) -> _SortedRows:
    """The rows of chunks by track, the tracks that ascend, and the row where those of each end. Empties the list."""
    native = [native_columns(chunk) for chunk in chunks]
    tracks, stops, columns = _native.by_track([chunk.track for chunk in chunks], native)
    # Whose rows are whose is known: the column of tracks is no longer needed.
    sorted_chunk = chunks[0] if columns is None else EventChunk(one_track(-1, int(stops[-1])), *columns)
    chunks.clear()  # there may be no memory for both
    native.clear()
    return kept(sorted_chunk, scratch), tracks, stops
