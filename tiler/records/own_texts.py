"""Records of the texts that events have themselves: what searches for words need of them.

Of an XSpace these are the `stats` fields of an event that are texts or references, one behind the other. Of trace-event
JSON they are the arguments of an event, as `native/columns/wordings.hpp` has them: a zero byte for each number that no
word can be in, or a byte 1 for each number where nothing is known of these.

A track has parts of `PART_EVENTS` events, of which the last may have fewer. A msgpack map, compressed:

    metadata  number of the metadata of some event, whose plane is that of the track; -1 of JSON
    is_readable  false: arguments are damaged, or have too many stats; all else is empty then
    ids       ids of the stats that events have themselves, int64, ascending
    texts     these; each once
    sizes     by part how many of these its events have, int32; -1: too many to be listed
    places    part by part, ascending, which of them, uint32
    counts    how many events of the part have each, uint16
    numbers   metadata of events whose name other metadata of the plane has, too, int64, ascending: each minus the one
              before; none of a track with too many of them
    events    how many events of the track have each, int64
    is_counted  false: there are too many

Columns are little-endian.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgpack
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.records.record import Available, Record

Ints = NDArray[np.int64]

PART_EVENTS: Final = 8192

OWN_TEXTS = Record(
    "w",
    "track",
    "the texts that events of track {track} have themselves",
    Available.WITH_TRACK,
    doc="texts that events have themselves, and how many events of each part of a track have each",
    proof="arguments, by the maker that wrote them",
)

_COLUMNS: Final[Mapping[str, str]] = {
    "ids": "<i8",
    "sizes": "<i4",
    "places": "<u4",
    "counts": "<u2",
    "numbers": "<i8",
    "events": "<i8",
}


class OwnTexts(Struct, frozen=True):
    """As above, `numbers` themselves."""

    metadata: int
    is_readable: bool
    texts: Sequence[bytes]
    ids: Ints
    sizes: Ints
    places: Ints
    counts: Ints
    numbers: Ints
    events: Ints
    is_counted: bool

    def encode(self) -> bytes:
        """The map, not compressed."""
        columns = {name: getattr(self, name) for name in _COLUMNS} | {"numbers": np.diff(self.numbers, prepend=0)}
        packed: bytes = msgpack.packb(
            {
                "metadata": self.metadata,
                "is_readable": self.is_readable,
                "is_counted": self.is_counted,
                "texts": self.texts,
                **{name: columns[name].astype(dtype).tobytes() for name, dtype in _COLUMNS.items()},
            }
        )
        return packed

    @classmethod
    def of_wordings(cls, texts: Sequence[bytes], sizes: Ints, places: Ints, counts: Ints) -> OwnTexts:
        """Wordings of a track of JSON, with their columns."""
        none = np.zeros(0, np.int64)
        return cls(-1, True, texts, none, sizes, places, counts, none, none, is_counted=True)

    @classmethod
    def decode(cls, data: bytes) -> OwnTexts:
        """The inverse. Raises DamagedStore."""
        try:
            packed: dict[str, Any] = msgpack.unpackb(data)
            columns = {name: np.frombuffer(packed[name], dtype).astype(np.int64) for name, dtype in _COLUMNS.items()}
            columns["numbers"] = np.cumsum(columns["numbers"])
            texts = cls(
                int(packed["metadata"]),
                bool(packed["is_readable"]),
                [bytes(text) for text in packed["texts"]],
                is_counted=bool(packed["is_counted"]),
                **columns,
            )
        except (ValueError, TypeError, LookupError, msgpack.UnpackException) as error:
            raise DamagedStore(f"own texts that make no sense: {error}") from error
        listed = int(np.maximum(texts.sizes, 0).sum())
        if (
            len(texts.places) != listed
            or len(texts.counts) != listed
            or len(texts.numbers) != len(texts.events)
            or texts.places.max(initial=-1) >= len(texts.texts)
        ):
            raise DamagedStore("own texts whose columns differ")
        return texts
