"""Chunks that wait for more, so that each track has many rows when their rows are brought together by track.

A chunk of trace-event JSON has about 16,000 events. Where they are of thousands of tracks, a piece has a few rows, and
finding it costs more than its rows do: 10 million events on 4,096 threads took 28 to 29 s of processor time to index
where each chunk was sorted by itself, and take 17 to 21 s now; some of that is what was done for flows.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Final

from msgspec import Struct, field

from tilescope.tiler.columns import EventChunk

# With twice as many, those 10 million events take as long.
_ROWS_PER_TRACK: Final = 32

_AT_MOST_BYTES: Final = 16 << 20


class ChunkBatch(Struct):
    """Chunks in the order of the file."""

    at_most_bytes: int = _AT_MOST_BYTES
    _chunks: list[EventChunk] = field(default_factory=list)
    _rows: int = 0
    _bytes: int = 0

    def __len__(self) -> int:
        return len(self._chunks)

    def add(self, chunk: EventChunk) -> None:
        """One more."""
        self._chunks.append(chunk)
        self._rows += len(chunk)
        self._bytes += _size_bytes(chunk)

    def is_enough(self, tracks: int) -> bool:
        """True if nothing is gained by waiting for more; so many tracks have had rows so far."""
        return self._rows >= _ROWS_PER_TRACK * tracks or self._bytes >= self.at_most_bytes

    def take(self) -> list[EventChunk]:
        """All of them; then there are none."""
        chunks, self._chunks = self._chunks, []
        self._rows = self._bytes = 0
        return chunks


def _size_bytes(chunk: EventChunk) -> int:
    columns = (getattr(chunk, column.name) for column in fields(chunk))
    return sum(column.nbytes for column in columns if column is not None)
