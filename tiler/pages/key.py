"""Names of pages, and numbers that fix their geometry."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

BINS_PER_TILE = 256
TRACKS_PER_BLOCK = 32

# Tile indices are below 2**53.
INDEX_BITS = 53

# A rollup's bin stops here: its busy time is at least that.
BIN_BUSY_LIMIT = 1 << 62

# Tiles in which at least so many events start may have a histogram. Below, the leaves are summed up: it is a few pages.
HISTOGRAM_EVENTS = 4096

# They do where it has at most one row for so many events. To add up a row takes as long as two events of a leaf (0.55
# and 0.25 microseconds, inflating included): without it questions take two and a half times as long there at most.
# With it, histograms of a pod with 40,000 names on each track took 36 % of the store, and now a fifth.
EVENTS_PER_ROW = 5

# Tiles of a block in which at least so many events of at least so many of its tracks start have a histogram of all of
# them. Measured with 100 million events on 400 tracks: with 4,096 events these take four times the room, and
# statistics little less time.
BLOCK_HISTOGRAM_EVENTS = 16_384
BLOCK_HISTOGRAM_TRACKS = 4

# LMDB puts values in pages of 4,096 bytes, the first with a header of 16, and a value begins with a checksum of 4: one
# of this size fills 12 without waste.
PAGE_BYTES_AT_MOST = 49_132


class Part(IntEnum):
    """Part of a page that is stored and sent under its name."""

    PAGE = 0
    RESIDUAL = 1  # what was rounded off its bins


class PageKey(NamedTuple):
    """A page is named by its first tile; its residual by the same, and the part."""

    block: int
    level: int
    index: int  # type: ignore[assignment]  # hides a method of tuples that nobody needs here
    slot: int
    part: int = Part.PAGE

    @property
    def residual(self) -> PageKey:
        """Its residual, which not every page has."""
        return self._replace(part=Part.RESIDUAL)

    def to_json(self) -> list[int]:
        """As clients have it: without the part when that is the page."""
        return list(self if self.part else self[:-1])

    def text(self) -> str:
        """In tags and messages."""
        return f"{'residuals' if self.part else 'pages'}-" + ".".join(map(str, self[:-1]))
