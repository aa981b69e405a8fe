"""Shapes and pages of blocks."""

from __future__ import annotations

from typing import Final

from tilescope.tiler.errors import DamagedStore, NotBuilt
from tilescope.tiler.lookup.kept import kept_with_store
from tilescope.tiler.pages import TRACKS_PER_BLOCK, Page, PageKey, Shape, Tile, decode_columns, decompress, part_of
from tilescope.tiler.records.tiles import PAGE, SHAPE
from tilescope.tiler.store.store import Store, need

# Shapes and pages that are kept decoded for looking up events: a click is followed by clicks nearby.
_KEPT_SHAPES: Final = 16
_KEPT_PAGES: Final = 8


def stored_page(store: Store, key: PageKey) -> bytes | None:
    """A page or its residual, compressed; None where there is none. Raises DamagedStore."""
    stored = store.get(PAGE, *key[:4])
    return None if stored is None else part_of(stored, key.part)


def page_content(store: Store, key: PageKey) -> bytes:
    """A page, uncompressed, without its residual. Raises DamagedStore where it is missing."""
    stored = stored_page(store, key)
    if stored is None:
        raise DamagedStore(f"{store.location}: {key.text()} is missing (index the trace again)")
    return decompress(stored)


def decoded_page(store: Store, key: PageKey) -> Page:
    """A page, without its residual. Raises DamagedStore where it is missing."""
    return decode_columns(page_content(store, key))


@kept_with_store(_KEPT_PAGES)
def tiles_on_page(store: Store, key: PageKey) -> list[Tile]:
    """The tiles on a page, without its residual. Raises DamagedStore where it is missing."""
    return list(decoded_page(store, key).tiles())


@kept_with_store(_KEPT_SHAPES)
def block_shape(store: Store, block: int) -> Shape:
    """The shape of a block. Raises DamagedStore where it is missing, NotBuilt while the block is not done."""
    if store.is_growing and store.get(SHAPE, block) is None:
        raise NotBuilt(f"tracks {block * TRACKS_PER_BLOCK} and following are not built yet")
    return Shape.decode(decompress(need(store, SHAPE, block)))
