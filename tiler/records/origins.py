"""Where tracks come from: ids, labels and times of trace-event files, for an export that equals its source."""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import Struct

from tilescope.tiler.columns import Label, TrackOrigin
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.records.record import Available, Record

ORIGINS: Final = Record(
    "o",
    "",
    "the origins of tracks",
    Available.AT_END,
    doc="process and thread ids, labels and times of trace-event files, and the carriers of flow ends",
    proof="that it names each track of such files, and as many flow ends as are stored",
)


class FileOrigin(Struct, frozen=True):
    """A trace-event file."""

    base_ns: int  # what the file adds to all its times
    labels: list[Label]


class Carrier(Struct, frozen=True):
    """The flow ends of one thread of a file."""

    file: int
    track: int  # of the thread's slices; -1: it has none
    ends: int
    args: int  # how many of the ends have an entry in a chunk of arguments: all or none
    origin: TrackOrigin


class Origins(Struct, frozen=True):
    """All of a run. None: of another format."""

    files: list[FileOrigin | None]
    tracks: list[TrackOrigin | None]  # by track
    carriers: list[Carrier]

    def encode(self) -> bytes:
        """As the store has it, not compressed."""
        return _ENCODER.encode(self)

    @classmethod
    def decode(cls, record: bytes) -> Origins:
        """Raises DamagedStore."""
        try:
            return _DECODER.decode(record)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise DamagedStore(f"the origins of tracks are damaged: {error}") from error


_ENCODER: Final = msgspec.json.Encoder()
_DECODER: Final = msgspec.json.Decoder(Origins)
