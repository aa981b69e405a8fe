"""The bytes of tiles: column containers, pages, shape records, compression. Knows nothing of where they are kept."""

from tilescope.tiler.pages.columns import Col, SliceFlag, TileFlag
from tilescope.tiler.pages.compress import compress, decompress
from tilescope.tiler.pages.key import BINS_PER_TILE, PAGE_BYTES_AT_MOST, TRACKS_PER_BLOCK, PageKey
from tilescope.tiler.pages.page import (
    Bins,
    CounterBins,
    Page,
    Samples,
    Slices,
    Tile,
    decode_columns,
    decode_page,
    select,
)
from tilescope.tiler.pages.shape import Shape

__all__ = [
    "BINS_PER_TILE",
    "PAGE_BYTES_AT_MOST",
    "TRACKS_PER_BLOCK",
    "Bins",
    "Col",
    "CounterBins",
    "Page",
    "PageKey",
    "Samples",
    "Shape",
    "SliceFlag",
    "Slices",
    "Tile",
    "TileFlag",
    "compress",
    "decode_columns",
    "decode_page",
    "decompress",
    "select",
]
