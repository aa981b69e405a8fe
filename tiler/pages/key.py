"""Names of pages, and numbers that fix their geometry."""

from __future__ import annotations

from typing import NamedTuple

BINS_PER_TILE = 256
TRACKS_PER_BLOCK = 32

# Tiles in which at least so many events start have a histogram. Below, the leaves are summed up: it is a few pages.
HISTOGRAM_EVENTS = 16_384

# LMDB puts values in pages of 4,096 bytes, the first with a header of 16: a value of this size fills 12 without waste.
PAGE_BYTES_AT_MOST = 49_136


class PageKey(NamedTuple):
    """A page is named by its first tile."""

    block: int
    level: int
    index: int  # type: ignore[assignment]  # hides a method of tuples that nobody needs here
    slot: int
