"""Arguments of the events of a run, numbers aside: parts of its tracks, and how many events of each are alike."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler.details.chunk import ChunkShapes
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_caches import RunCache
from tilescope.tiler.records.arguments import ARGUMENTS
from tilescope.tiler.search.alike_events import ArgumentShape

Ints = NDArray[np.int64]

# Of shapes that are kept, each once; parts with others are read each time. A shape is decoded to some times its size.
_MOST_BYTES: Final = 32 << 20
_DECODED: Final = 6
_PART_BYTES: Final = 300
_AT_ONCE: Final = 64  # parts that are read between two steps


class ArgumentPart(Struct, frozen=True):
    """Neighbouring events [first, stop) of a track, those of a chunk of arguments."""

    first: int
    stop: int  # TICK_LIMIT where it is not known
    shapes: Ints | None  # numbers of shapes that its events have; None: not known
    counts: Ints  # of events with each
    is_whole: bool  # each event has one shape or no arguments


class ArgumentIndex:
    """Parts of tracks, read when they are needed. Several threads may use it."""

    def __init__(self, reader: QueryReader) -> None:
        self._store = reader.store
        self._lock = Lock()
        self._numbers: dict[bytes, int] = {}
        self._text_bytes = 0
        self._parts: dict[int, Sequence[ArgumentPart]] = {}
        self._part_bytes = 0
        self.shapes: list[ArgumentShape] = []

    @property
    def size_bytes(self) -> int:
        """About what it takes."""
        return self._text_bytes * _DECODED + self._part_bytes

    def parts(self, track: int) -> Interruptible[Sequence[ArgumentPart]]:
        """Parts of a track, in order; events that are in none have no arguments. Raises DamagedStore."""
        if (kept := self._parts.get(track)) is not None:
            return kept
        parts: list[ArgumentPart] = []
        for (_, first), member in self._store.scan(ARGUMENTS, track):
            parts.append(self._part(first, ChunkShapes.read(member)))
            if len(parts) % _AT_ONCE == 0:
                yield
        # Of a chunk in another order the next one says where it ends.
        ends = [part.first for part in parts[1:]]
        parts = [
            part
            if part.shapes is not None or k == len(ends)
            else ArgumentPart(part.first, ends[k], None, part.counts, False)
            for k, part in enumerate(parts)
        ]
        self._parts[track] = parts
        self._part_bytes += sum(_PART_BYTES + 2 * part.counts.nbytes for part in parts)
        return parts

    def _part(self, first: int, shapes: ChunkShapes | None) -> ArgumentPart:
        none = np.zeros(0, np.int64)
        if shapes is None:
            return ArgumentPart(first, 1 << 62, None, none, False)
        numbers = self._numbered(shapes.shapes)
        if numbers is None:
            return ArgumentPart(first, first + shapes.events, None, none, False)
        return ArgumentPart(first, first + shapes.events, numbers, shapes.counts, shapes.is_whole)

    def _numbered(self, shapes: Sequence[bytes]) -> Ints | None:
        """Their numbers; None where there is no room for those that are new."""
        numbers = np.zeros(len(shapes), np.int64)
        with self._lock:
            for k, text in enumerate(shapes):
                number = self._numbers.get(text)
                if number is None:
                    if self._text_bytes + len(text) > _MOST_BYTES:
                        return None
                    number = self._numbers[text] = len(self.shapes)
                    self.shapes.append(ArgumentShape(text))
                    self._text_bytes += len(text) + _PART_BYTES
                numbers[k] = number
        return numbers


_INDEXES: Final = RunCache[ArgumentIndex](
    "argument_shapes", "Shapes of arguments, for searches", lambda index: index.size_bytes, grows=True
)


def argument_index(reader: QueryReader) -> ArgumentIndex:
    """That of a run. Of a run that is still being indexed it is made anew each time."""
    return _INDEXES.get(reader) or _INDEXES.keep(reader, ArgumentIndex(reader))
