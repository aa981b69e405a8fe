"""Arguments of the events of a run, but for numbers without words: parts of its tracks, and which events are alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler.details.xstat import stats
from tilescope.tiler.details.xstat_tables import XStatTables
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import decompress
from tilescope.tiler.query import QueryReader
from tilescope.tiler.query.run_caches import RunCache
from tilescope.tiler.records.arguments import ARGUMENTS
from tilescope.tiler.records.own_texts import OWN_TEXTS, PART_EVENTS, OwnTexts
from tilescope.tiler.search.alike_events import ArgumentShape, StatTexts, Texts
from tilescope.tiler.store.validation import must_make_sense

Ints = NDArray[np.int64]

# Of shapes that are kept, each once; parts with others are read each time. A shape is decoded to some times its size.
_MOST_BYTES: Final = 32 << 20
_DECODED: Final = 6
_PART_BYTES: Final = 300
_WORDINGS: Final = -1  # owner of shapes that are of no plane


class ArgumentPart(Struct, frozen=True):
    """Neighbouring events [first, stop) of a track. Each has one shape or no texts."""

    first: int
    stop: int
    shapes: Ints | None  # numbers of shapes that its events have; None: not known
    counts: Ints  # of events with each


class OwnTrack(Struct, frozen=True):
    """Stats that events of a track of an XSpace have themselves; what they share is in no shape of its parts."""

    plane: int
    parts: Sequence[ArgumentPart]
    names: frozenset[str]  # of stats that some event has itself
    stat_names: Mapping[int, str]  # of all stats of the plane, to which values may refer
    is_readable: bool  # False: arguments are damaged, or have too many stats; there is nothing else then
    # Entries of metadata whose name other ones of the plane have, and how many events have each; None: not known.
    numbered: tuple[Ints, Ints] | None


class ArgumentIndex:
    """Parts of tracks, read when they are needed. Several threads may use it."""

    def __init__(self, reader: QueryReader) -> None:
        self._reader = reader
        self._store = reader.store
        self._lock = Lock()
        self._numbers: dict[tuple[int, bytes], int] = {}
        self._text_bytes = 0
        self._parts: dict[int, Sequence[ArgumentPart]] = {}
        self._own: dict[int, OwnTrack | None] = {}
        self._part_bytes = 0
        self.shapes: list[ArgumentShape | StatTexts] = []

    @property
    def size_bytes(self) -> int:
        """About what it takes."""
        return self._text_bytes * _DECODED + self._part_bytes

    def parts(self, track: int) -> Sequence[ArgumentPart]:
        """Parts of a track, in order, of a file whose events share nothing. Raises DamagedStore, NotBuilt."""
        if (kept := self._parts.get(track)) is not None:
            return kept
        record = self._store.get(OWN_TEXTS, track)
        events = self._reader.tree.tracks[track].events
        parts: Sequence[ArgumentPart] = ()
        if record is not None:
            with must_make_sense(self._store.location):
                own = OwnTexts.decode(decompress(record))
                if own.metadata >= 0 or not own.is_readable:
                    raise DamagedStore("own texts of an XSpace for arguments of JSON")
                numbers = self._numbered(_WORDINGS, own.texts, ArgumentShape.from_wording)
                parts = _parts(own, numbers, events)
        elif next(iter(self._store.scan(ARGUMENTS, track)), None) is not None:  # of a package that packs no texts
            parts = [ArgumentPart(0, events, None, np.zeros(0, np.int64))]
        self._parts[track] = parts
        self._part_bytes += _size(parts)
        return parts

    def own(self, track: int, tables: XStatTables) -> OwnTrack | None:
        """Stats that events of a track of an XSpace, with these tables, have themselves; None: no arguments.

        Raises DamagedStore, NotBuilt.
        """
        if track in self._own:
            return self._own[track]
        record = self._store.get(OWN_TEXTS, track)
        own = None
        if record is not None:
            with must_make_sense(self._store.location):
                own = self._own_track(track, OwnTexts.decode(decompress(record)), tables)
            self._part_bytes += _size(own.parts) + sum(column.nbytes for column in own.numbered or ())
        self._own[track] = own
        return own

    def _own_track(self, track: int, own: OwnTexts, tables: XStatTables) -> OwnTrack:
        if own.metadata < 0:
            raise DamagedStore("own texts of JSON for arguments of an XSpace")
        plane = int(tables.plane[own.metadata])
        stat_names = tables.planes[plane].stat_names

        def stat_texts(text: bytes) -> StatTexts:
            return StatTexts(Texts.from_arguments([(stat.name, stat.value) for stat in stats(text, stat_names)]))

        numbers = self._numbered(self._reader.file_of(track) << 32 | plane, own.texts, stat_texts)
        parts = _parts(own, numbers, self._reader.tree.tracks[track].events)
        names = frozenset(stat_names.get(stat) or f"[stat {stat}]" for stat in own.ids.tolist())
        numbered = (tables.place[own.numbers].astype(np.int64), own.events) if own.is_counted else None
        return OwnTrack(plane, parts, names, stat_names, own.is_readable, numbered)

    def tables(self, track: int) -> XStatTables | None:
        """The metadata of the file of a track; None where its events share nothing. Raises DamagedStore."""
        file = self._reader.file_of(track)
        return self._reader.event_metadata(file) if file >= 0 else None

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


def _parts(own: OwnTexts, numbers: Ints | None, events: int) -> Sequence[ArgumentPart]:
    """Parts of a track with so many events. `numbers`: of its texts; None: not known. Raises DamagedStore."""
    parts: list[ArgumentPart] = []
    ends = np.cumsum(np.maximum(own.sizes, 0))
    for part, (size, end) in enumerate(zip(own.sizes.tolist(), ends.tolist(), strict=True)):
        which = slice(end - max(size, 0), end)
        shapes = None if numbers is None or size < 0 else numbers[own.places[which]]
        parts.append(ArgumentPart(part * PART_EVENTS, min((part + 1) * PART_EVENTS, events), shapes, own.counts[which]))
    if own.is_readable and len(parts) != -(-events // PART_EVENTS):
        raise DamagedStore(f"{len(parts)} parts of own texts for {events} events")
    return parts


def _size(parts: Sequence[ArgumentPart]) -> int:
    """About the bytes that they take."""
    return sum(_PART_BYTES + 2 * part.counts.nbytes for part in parts)


_INDEXES: Final = RunCache[ArgumentIndex](
    "argument_shapes", "Shapes of arguments, for searches", lambda index: index.size_bytes, grows=True
)


def argument_index(reader: QueryReader) -> ArgumentIndex:
    """That of a run. Of a run that is still being indexed it is made anew each time."""
    return _INDEXES.get(reader) or _INDEXES.keep(reader, ArgumentIndex(reader))
