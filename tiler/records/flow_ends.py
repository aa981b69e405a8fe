"""Chunks of flow ends: what is read when somebody clicks a slice. See docs/page-format.md."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Self

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import container
from tilescope.tiler.pages.columns import Col
from tilescope.tiler.pages.compress import MAX_DECODED_BYTES
from tilescope.tiler.records.record import Available, Record

Ints = NDArray[np.int64]

# 3.5 to 6 bytes an end after compression, measured on PyTorch and JAX traces with more than 10,000 of them; up to 12 on
# others. So a chunk is about as large as a page of tiles.
_CHUNK_ENDS = 8192

# A chunk has all ends of its slices, and a record may have so many bytes when it is decoded.
MOST_ENDS_OF_A_SLICE = MAX_DECODED_BYTES // 8 // 10


FLOW_ENDS = Record(
    "F",
    "track event",
    "track {track}: flows from event {event} on",
    Available.AT_END,
    doc="the flows that begin and end in slices of a track, with the slice at the other end of each",
    proof="each end has its partner, and lies in the slices that it names",
)


class FlowEnds(Struct, frozen=True):
    """Flow ends of one track, columns of shape (n,), in the order (ordinal, outgoing before incoming, tick).

    They are those of the file's flows.
    """

    ordinal: Ints  # of the slice
    incoming: Ints  # 0: a flow leaves the slice, 1: one arrives
    tick: Ints
    partner_track: Ints
    partner_ordinal: Ints
    partner_tick: Ints
    partner_start: Ints  # of the partner's slice, ticks
    partner_name: Ints  # of the partner's slice, -1: none

    def __len__(self) -> int:
        return len(self.ordinal)

    def take(self, which: Ints | NDArray[np.bool_] | slice) -> Self:
        """Some of them."""
        return type(self)(*(getattr(self, column)[which] for column in self.__struct_fields__))

    def chunks(self) -> Iterator[Self]:
        """The ends in chunks of which each has all ends of its slices, so that a click reads but one."""
        return (self.take(part) for part in whole_slices(self.ordinal, _CHUNK_ENDS))

    def encode(self, track: int) -> bytes:
        """A column container, not compressed."""
        columns: dict[int, Ints] = {column: getattr(self, name) for name, column in _COLUMNS.items()}
        columns[Col.FLOW_PARTNER_OFFSET] = self.partner_tick - self.partner_start
        return container.encode(container.FLOWS_MAGIC, 0, len(self), track, columns)

    @classmethod
    def decode(cls, data: bytes, track: int) -> FlowEnds:
        """The flow ends in a chunk of this track. Raises DamagedStore."""
        chunk = container.decode(data)
        columns = {name: chunk.ints(column) for name, column in _COLUMNS.items()}
        offset = chunk.ints(Col.FLOW_PARTNER_OFFSET)
        if chunk.magic != container.FLOWS_MAGIC or chunk.block != track:
            raise DamagedStore(f"a record is no chunk of flow ends of track {track}")
        if not len(offset) or any(len(values) != chunk.n_tiles for values in (*columns.values(), offset)):
            raise DamagedStore(f"a chunk of flow ends of track {track} has columns of different lengths")
        return cls(**columns, partner_start=columns["partner_tick"] - offset)

    @classmethod
    def none(cls) -> FlowEnds:
        """No ends."""
        return cls(*(np.zeros(0, np.int64) for _ in cls.__struct_fields__))


_COLUMNS = {
    "ordinal": Col.FLOW_ORDINAL,
    "incoming": Col.FLOW_INCOMING,
    "tick": Col.FLOW_TICK,
    "partner_track": Col.FLOW_PARTNER_TRACK,
    "partner_ordinal": Col.FLOW_PARTNER_ORDINAL,
    "partner_tick": Col.FLOW_PARTNER_TICK,
    "partner_name": Col.FLOW_PARTNER_NAME,
}


def whole_slices(ordinal: Ints, most: int) -> Iterator[slice]:
    """Parts of rows whose ordinals ascend, with all rows of their slices: up to `most` rows, or those of a slice."""
    first = 0
    while first < len(ordinal):
        last = first + most
        if last < len(ordinal):
            last = int(np.searchsorted(ordinal, ordinal[last]))
            if last <= first:  # one slice has more than that
                last = int(np.searchsorted(ordinal, ordinal[first], side="right"))
        yield slice(first, min(last, len(ordinal)))
        first = last
