"""The bytes of tiles: column containers, pages, shape records, compression. Knows nothing of where they are kept."""

from tilescope.tiler.pages.columns import Col, SliceFlag, TileFlag
from tilescope.tiler.pages.compress import compress, compress_container, decompress
from tilescope.tiler.pages.key import (
    BINS_PER_TILE,
    INDEX_BITS,
    PAGE_BYTES_AT_MOST,
    TRACKS_PER_BLOCK,
    PageKey,
    Part,
)
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
    with_residual,
)
from tilescope.tiler.pages.shape import Shape, pays
from tilescope.tiler.pages.stored import join_parts, part_of
from tilescope.tiler.pages.titles import record_title

__all__ = [
    "BINS_PER_TILE",
    "INDEX_BITS",
    "PAGE_BYTES_AT_MOST",
    "TRACKS_PER_BLOCK",
    "Bins",
    "Col",
    "CounterBins",
    "Page",
    "PageKey",
    "Part",
    "Samples",
    "Shape",
    "SliceFlag",
    "Slices",
    "Tile",
    "TileFlag",
    "compress",
    "compress_container",
    "decode_columns",
    "decode_page",
    "decompress",
    "join_parts",
    "part_of",
    "pays",
    "record_title",
    "select",
    "with_residual",
]
