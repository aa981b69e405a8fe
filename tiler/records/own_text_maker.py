"""Makes the records of texts that events have themselves."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.details.same_names import SameNames
from tilescope.tiler.details.wire import varint
from tilescope.tiler.details.xstat_tables import XStatTables
from tilescope.tiler.records.own_texts import PART_EVENTS, OwnTexts

Ints = NDArray[np.int64]

_VARINT_BYTES: Final = 10

# Metadata with names of others that a track may have: some tens of kilobytes; of long tracks more.
_MOST_NUMBERS: Final = 1 << 14
_EVENTS_OF_NUMBER: Final = 16


class WordingMaker:
    """Takes the packed arguments of the events of one track of JSON, in canonical order."""

    def __init__(self, texts: _native.PackedTexts) -> None:
        self._maker = _native.Wordings(texts, PART_EVENTS)

    def add(self, args_end: Ints, begin: int, args: NDArray[np.uint8]) -> None:
        """The next events: those of event k are args[args_end[k-1]:args_end[k]], from `begin` on. Raises ValueError."""
        self._maker.add(args_end, begin, args)

    def finish(self) -> OwnTexts:
        """That of all. To be asked once, at the end."""
        texts, *columns = self._maker.finish()
        return OwnTexts.of_wordings(texts, *(column.astype(np.int64) for column in columns))


class OwnTextMaker:
    """Takes the events of one track of an XSpace, in canonical order."""

    def __init__(self, tables: XStatTables, names: SameNames, args: NDArray[np.uint8]) -> None:
        """`args`: arguments that begin with those of an event of the track. Raises WireDamage, LookupError."""
        self._metadata, _ = varint(args[:_VARINT_BYTES].tobytes(), 0)
        slots = names.slots(int(tables.plane[self._metadata]))
        self._numbers = slots.numbers
        self._maker = _native.OwnTextMaker(slots.first, slots.slots, PART_EVENTS)
        self._events = 0

    def add(self, args_end: Ints, begin: int, args: NDArray[np.uint8]) -> None:
        """The next events: those of event k are args[args_end[k-1]:args_end[k]], from `begin` on. Raises ValueError."""
        self._maker.add(args_end, begin, args)
        self._events += len(args_end)

    def finish(self) -> OwnTexts:
        """That of all. To be asked once, at the end."""
        is_readable, ids, texts, sizes, places, counts, slots, events = self._maker.finish()
        is_counted = is_readable and len(slots) <= _MOST_NUMBERS + self._events // _EVENTS_OF_NUMBER
        if not is_counted:
            slots, events = slots[:0], events[:0]
        return OwnTexts(
            metadata=self._metadata,
            is_readable=is_readable,
            texts=texts,
            ids=np.array(ids, np.int64),
            sizes=sizes.astype(np.int64),
            places=places.astype(np.int64),
            counts=counts.astype(np.int64),
            numbers=self._numbers[slots],
            events=events,
            is_counted=is_counted,
        )
