"""Places of launches, which are stored with the work that they launched. See docs/page-format.md."""

from __future__ import annotations

from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import container
from tilescope.tiler.pages.columns import Col
from tilescope.tiler.records.record import Available, Record

Ints = NDArray[np.int64]

_MAGIC: Final = b"TSLP"


LAUNCH_PLACES = Record(
    "m",
    "track",
    "track {track}: where its launches stand",
    Available.AT_END,
    doc="the chunks of launches of a track's slices, and the tracks whose slices its own launched",
    proof="the launches",
)


class LaunchPlaces(Struct, frozen=True):
    """The chunks of launches of a track that has work, and the tracks of the work that it launches.

    Columns of shape (n,), a row for each chunk and each track that launches in it, in the order (event, track).
    """

    event: Ints  # by which the chunk is stored
    launching_track: Ints
    least: Ints  # the first of its slices that launch what is in the chunk
    greatest: Ints  # and the last
    work_track: Ints  # ascending, shape (m,): whose slices this track's own launched

    @classmethod
    def nowhere(cls) -> LaunchPlaces:
        """No places, of a track without launches."""
        return cls(*(np.zeros(0, np.int64) for _ in cls.__struct_fields__))

    def encode(self, track: int) -> bytes:
        """A column container, not compressed."""
        columns: dict[int, Ints] = {column: getattr(self, name) for name, column in _COLUMNS.items()}
        return container.encode(_MAGIC, 0, len(self.event), track, columns)

    @classmethod
    def decode(cls, data: bytes, track: int) -> LaunchPlaces:
        """The record of this track. Raises DamagedStore."""
        chunk = container.decode(data)
        if chunk.magic != _MAGIC or chunk.block != track:
            raise DamagedStore(f"a record does not say where launches of track {track} stand")
        places = cls(**{name: chunk.ints(column) for name, column in _COLUMNS.items()})
        lengths = {len(getattr(places, name)) for name in _COLUMNS if name != "work_track"}
        if lengths != {chunk.n_tiles}:
            raise DamagedStore(f"places of launches of track {track} have columns of different lengths")
        return places


_COLUMNS: Final = {
    "event": Col.PLACE_EVENT,
    "launching_track": Col.PLACE_TRACK,
    "least": Col.PLACE_LEAST,
    "greatest": Col.PLACE_GREATEST,
    "work_track": Col.PLACE_WORK,
}
