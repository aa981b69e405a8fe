"""Arguments of the events of a run, numbers aside: parts of its tracks, and how many events of each are alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.details.chunk import ChunkShapes, RestOfChunk
from tilescope.tiler.details.wire import varint
from tilescope.tiler.details.xstat import stats
from tilescope.tiler.details.xstat_tables import XStatTables
from tilescope.tiler.pages import decompress
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_caches import RunCache
from tilescope.tiler.records.arguments import ARGUMENTS
from tilescope.tiler.search.alike_events import ArgumentShape, StatTexts, Texts
from tilescope.tiler.store.validation import must_make_sense

Ints = NDArray[np.int64]

# Of shapes that are kept, each once; parts with others are read each time. A shape is decoded to some times its size.
_MOST_BYTES: Final = 32 << 20
_DECODED: Final = 6
_PART_BYTES: Final = 300
_VARINT_BYTES: Final = 10
_AT_ONCE: Final = 64  # parts that are read between two steps


class ArgumentPart(Struct, frozen=True):
    """Neighbouring events [first, stop) of a track, those of a chunk of arguments."""

    first: int
    stop: int  # TICK_LIMIT where it is not known
    shapes: Ints | None  # numbers of shapes that its events have; None: not known
    counts: Ints  # of events with each
    is_whole: bool  # each event has one shape or no arguments
    plane: int = -1  # of an XSpace, in whose shapes is what the events do not share
    own: frozenset[str] = frozenset()  # names of stats that some event has itself


class ArgumentIndex:
    """Parts of tracks, read when they are needed. Several threads may use it."""

    def __init__(self, reader: QueryReader) -> None:
        self._reader = reader
        self._store = reader.store
        self._lock = Lock()
        self._numbers: dict[tuple[int, bytes], int] = {}
        self._text_bytes = 0
        self._parts: dict[int, Sequence[ArgumentPart]] = {}
        self._part_bytes = 0
        self.shapes: list[ArgumentShape | StatTexts] = []

    @property
    def size_bytes(self) -> int:
        """About what it takes."""
        return self._text_bytes * _DECODED + self._part_bytes

    def shape(self, text: bytes) -> ArgumentShape | StatTexts:
        """The shape of some texts: decoded once, as long as there is room."""
        number = self._numbers.get((-1, text))
        return ArgumentShape(text) if number is None else self.shapes[number]

    def parts(self, track: int) -> Interruptible[Sequence[ArgumentPart]]:
        """Parts of a track, in order; events that are in none have no arguments. Raises DamagedStore."""
        if (kept := self._parts.get(track)) is not None:
            return kept
        tables = self.tables(track)
        parts: list[ArgumentPart] = []
        for (_, first), member in self._store.scan(ARGUMENTS, track):
            if tables is None:
                parts.append(self._part(first, ChunkShapes.read(member)))
            else:
                parts.append(self._stat_part(track, first, member, tables))
                yield
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
        numbers = self._numbered(-1, shapes.shapes, ArgumentShape)
        if numbers is None:
            return ArgumentPart(first, first + shapes.events, None, none, False)
        return ArgumentPart(first, first + shapes.events, numbers, shapes.counts, shapes.is_whole)

    def tables(self, track: int) -> XStatTables | None:
        """The metadata of the file of a track; None where its events share nothing. Raises DamagedStore."""
        file = self._reader.file_of(track)
        return self._reader.event_metadata(file) if file >= 0 else None

    def _stat_part(self, track: int, first: int, member: bytes, tables: XStatTables) -> ArgumentPart:
        """The same of stats. Those that are shared are in no shape."""
        with must_make_sense(self._store.location):
            return self._own_part(track, first, member, tables)

    def _own_part(self, track: int, first: int, member: bytes, tables: XStatTables) -> ArgumentPart:
        rest = RestOfChunk.parse(decompress(member), first)
        chunk = rest.chunk
        ids, texts, counts, is_whole = _native.own_texts(chunk.ends, chunk.args, 0, len(chunk))
        number, _ = varint(chunk.args[:_VARINT_BYTES].tobytes(), 0)
        plane = int(tables.plane[number])
        stat_names = tables.planes[plane].stat_names

        def stat_texts(text: bytes) -> StatTexts:
            return StatTexts(Texts.from_arguments([(stat.name, stat.value) for stat in stats(text, stat_names)]))

        numbers = self._numbered(self._reader.file_of(track) << 32 | plane, texts, stat_texts) if is_whole else None
        own = frozenset(stat_names.get(stat) or f"[stat {stat}]" for stat in (*ids, *rest.taken))
        return ArgumentPart(first, chunk.stop, numbers, np.array(counts, np.int64), True, plane, own)

    def _numbered(
        self, owner: int, shapes: Sequence[bytes], made: Callable[[bytes], ArgumentShape | StatTexts]
    ) -> Ints | None:
        """Their numbers; None where there is no room for those that are new."""
        numbers = np.zeros(len(shapes), np.int64)
        with self._lock:
            for k, text in enumerate(shapes):
                number = self._numbers.get((owner, text))
                if number is None:
                    if self._text_bytes + len(text) > _MOST_BYTES:
                        return None
                    number = self._numbers[owner, text] = len(self.shapes)
                    self.shapes.append(made(text))
                    self._text_bytes += len(text) + _PART_BYTES
                numbers[k] = number
        return numbers


_INDEXES: Final = RunCache[ArgumentIndex](
    "argument_shapes", "Shapes of arguments, for searches", lambda index: index.size_bytes, grows=True
)


def argument_index(reader: QueryReader) -> ArgumentIndex:
    """That of a run. Of a run that is still being indexed it is made anew each time."""
    return _INDEXES.get(reader) or _INDEXES.keep(reader, ArgumentIndex(reader))
