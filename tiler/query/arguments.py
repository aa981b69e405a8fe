"""The arguments of many events: as Python's values event by event, or those of some names as columns."""

from __future__ import annotations

import re
from bisect import bisect_right, insort
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Final, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.details.chunk import Chunk, RowShapes
from tilescope.tiler.details.codec import Arguments
from tilescope.tiler.details.values import ValueKind, Values, first_of
from tilescope.tiler.lookup.arguments import argument_chunk, argument_decoder, argument_row_shapes, argument_values
from tilescope.tiler.lookup.tracks import file_of
from tilescope.tiler.store.store import Store

Ints = NDArray[np.int64]

# Chunks that are kept inflated, each of a quarter of a megabyte: a search by time takes turns between tracks.
_KEPT_CHUNKS: Final = 160


@dataclass(frozen=True, slots=True)
class ValuesOfSome:
    """Values of the wanted events of one chunk: `which` of the wanted they are, and their values by name.

    `decoded`: all arguments of those that had to be read one by one, by row.
    """

    which: slice
    values: Sequence[Values]
    decoded: dict[int, Arguments]


@dataclass(frozen=True, slots=True)
class TextsOfSome:
    """Arguments of the wanted events of one chunk as their codec has them: text[begin:end] of each, shape (n,)."""

    which: slice
    text: NDArray[np.uint8]
    begin: Ints
    end: Ints

    def counts(self, byte: int) -> Ints:
        """Occurrences of a byte in each."""
        first = int(self.begin[0])
        before = np.append(0, np.cumsum(self.text[first : int(self.end[-1])] == byte))
        counts: Ints = before[self.end - first] - before[self.begin - first]
        return counts


class ArgumentReader:
    """Reads for one question. Several threads may share it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept = _KeptChunks(lambda track, ordinal: argument_chunk(store, track, ordinal))
        self._kept_shapes = _KeptChunks(lambda track, ordinal: argument_row_shapes(store, track, ordinal))

    @property
    def size_bytes(self) -> int:
        """About what it keeps of chunks of arguments."""
        return sum(chunk.args.nbytes + chunk.ends.nbytes for chunk in self._kept.chunks())

    def decoded(self, track: int, ordinals: Sequence[int]) -> Iterator[Arguments]:
        """All arguments of some events of a track, whose ordinals ascend. Raises DamagedStore."""
        decode = argument_decoder(self._store, file_of(self._store, track))
        for raw in self.raw(track, ordinals):
            yield decode(raw)

    def raw(self, track: int, ordinals: Sequence[int]) -> Iterator[bytes]:
        """The same as their codec has them. Raises DamagedStore."""
        chunk: Chunk | None = None
        for ordinal in ordinals:
            if chunk is None or not chunk.first <= ordinal < chunk.stop:
                chunk = self._kept.chunk(track, ordinal)
            yield b"" if chunk is None else chunk.arguments(ordinal)

    def texts(self, track: int, ordinals: Ints) -> Iterator[TextsOfSome]:
        """The same chunk by chunk, without events behind the last chunk. Raises DamagedStore."""
        start = 0
        while start < len(ordinals) and (chunk := self._kept.chunk(track, int(ordinals[start]))) is not None:
            stop = int(np.searchsorted(ordinals, chunk.stop))
            indices = ordinals[start:stop] - chunk.first
            begin = np.append(0, chunk.ends)[indices]
            yield TextsOfSome(slice(start, stop), chunk.args, begin, chunk.ends[indices])
            start = stop

    def values(self, track: int, ordinals: Ints, names: Sequence[str]) -> Iterator[ValuesOfSome]:
        """The first argument of each name of some events of a track, whose ordinals ascend, chunk by chunk.

        Raises DamagedStore.
        """
        start = 0
        while start < len(ordinals):
            chunk = self._kept.chunk(track, int(ordinals[start]))
            if chunk is None:  # nor do those behind it
                stop = len(ordinals)
                yield ValuesOfSome(slice(start, stop), [_absent(stop - start) for _ in names], {})
            else:
                stop = int(np.searchsorted(ordinals, chunk.stop))
                yield self._of_chunk(track, chunk, slice(start, stop), ordinals[start:stop] - chunk.first, names)
            start = stop

    def matching(self, track: int, first: int, stop: int, pattern: re.Pattern[bytes]) -> Iterator[Ints]:
        """The ordinals of those of events [first, stop) in whose arguments, as they are written, a pattern is.

        Chunk by chunk; in lower case; a match that begins in one event and ends in another is of the first. Raises
        DamagedStore.
        """
        while first < stop and (chunk := self._kept.chunk(track, first)) is not None:
            begins = [match.start() for match in pattern.finditer(chunk.args.tobytes().lower())]
            rows = np.unique(np.searchsorted(chunk.ends, np.array(begins, np.int64), side="right"))
            ordinals = chunk.first + rows
            yield ordinals[(ordinals >= first) & (ordinals < stop)]
            first = chunk.stop

    def row_shapes(self, track: int, ordinal: int) -> RowShapes | None:
        """The shapes of the events of the chunk that has those of an event; None where it has none.

        Raises DamagedStore.
        """
        return self._kept_shapes.chunk(track, ordinal)

    def values_around(self, track: int, ordinal: int, names: Sequence[str]) -> ValuesOfSome | None:
        """The same of all events of the chunk that has those of an event: `which` are their ordinals; None: of none."""
        chunk = self._kept.chunk(track, ordinal)
        if chunk is None:
            return None
        return self._of_chunk(track, chunk, slice(chunk.first, chunk.stop), np.arange(len(chunk)), names)

    def _of_chunk(self, track: int, chunk: Chunk, which: slice, indices: Ints, names: Sequence[str]) -> ValuesOfSome:
        file = file_of(self._store, track)
        columns = argument_values(self._store, file, chunk, indices, names)
        unclear = np.zeros(len(indices), np.bool_)
        for values in columns:
            unclear |= values.kind == ValueKind.UNCLEAR
        rows = np.flatnonzero(unclear).tolist()
        decode = argument_decoder(self._store, file)
        decoded = {row: decode(chunk.arguments(chunk.first + int(indices[row]))) for row in rows}
        for values, name in zip(columns, names, strict=True):
            for row, arguments in decoded.items():
                value, is_there = first_of(arguments, name)
                values.kind[row] = ValueKind.ABSENT
                if is_there:
                    values.put([row], [value])
        return ValuesOfSome(which, columns, decoded)


KeptChunk = TypeVar("KeptChunk", Chunk, RowShapes)


class _KeptChunks(Generic[KeptChunk]):
    """Chunks that were read last."""

    def __init__(self, read: Callable[[int, int], KeptChunk | None]) -> None:
        self._read: Callable[[int, int], KeptChunk | None] = read
        self._lock = Lock()
        self._chunks: OrderedDict[tuple[int, int], KeptChunk] = OrderedDict()
        self._firsts: defaultdict[int, list[int]] = defaultdict(list)  # by track, ascending

    def chunks(self) -> list[KeptChunk]:
        """All that are kept."""
        with self._lock:
            return list(self._chunks.values())

    def chunk(self, track: int, ordinal: int) -> KeptChunk | None:
        """The chunk with the arguments of an event; None: it has none, like all that follow it. Raises DamagedStore."""
        with self._lock:
            firsts = self._firsts[track]
            position = bisect_right(firsts, ordinal)
            if position and ordinal < (kept := self._chunks[track, firsts[position - 1]]).stop:
                self._chunks.move_to_end((track, kept.first))
                return kept
        read_chunk = self._read(track, ordinal)
        if read_chunk is None or ordinal >= read_chunk.stop:
            return None
        with self._lock:
            if (track, read_chunk.first) not in self._chunks:
                self._chunks[track, read_chunk.first] = read_chunk
                insort(self._firsts[track], read_chunk.first)
            if len(self._chunks) > _KEPT_CHUNKS:
                (oldest, first), _ = self._chunks.popitem(last=False)
                self._firsts[oldest].remove(first)
        return read_chunk


def _absent(count: int) -> Values:
    return Values(np.zeros(count, np.uint8), np.zeros(count, np.int64))
