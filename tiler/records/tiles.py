"""Records of tiles: the pages of blocks, and the shapes that say which there are. Their bytes are those of `pages/`."""

from __future__ import annotations

from tilescope.tiler.pages import TRACKS_PER_BLOCK
from tilescope.tiler.records.record import Available, Record

SHAPE = Record(
    "S",
    "block",
    "the shape record of block {block}",
    Available.AT_ONCE,
    doc="which tiles a block has, and on which page each lies; written last of a block",
    proof="the pages",
)
PAGE = Record(
    "P",
    "block level tile slot",
    lambda block, level, tile, slot: (
        f"track {block * TRACKS_PER_BLOCK + slot}, level {level}, tile {tile}: the page that begins with it"
    ),
    Available.WITH_BLOCK,
    doc="tiles of a block and level, and what was rounded off their bins",
    proof="the leaves, from which all tiles above are built anew, and what ingest counted",
)
