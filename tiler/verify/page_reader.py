"""Reads pages for the checks."""

from __future__ import annotations

import zlib
from collections.abc import Callable

from isal import isal_zlib
from isal.igzip_lib import IsalError

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.lookup.tiles import stored_page
from tilescope.tiler.pages import PAGE_BYTES_AT_MOST, Part, TileFlag, part_of
from tilescope.tiler.pages.compress import MEMBER_HEADER
from tilescope.tiler.store.store import Store
from tilescope.tiler.verify.memory import ProofMemory
from tilescope.tiler.verify.tree import BlockTree

# What the native proof calls for a page, by its number: the page and its residual, inflated.
Fetch = Callable[[int], tuple[bytes, bytes | None]]


def fetch_from(store: Store, tree: BlockTree, memory: ProofMemory, done: Callable[[int], None]) -> Fetch:
    """Reads the pages of a block. `done` is told the number of each; what it raises ends the reading.

    What it takes to inflate a page is counted here, the page itself by who asks for it.
    """

    def inflated(stored: bytes, others: int) -> bytes:
        with memory.taken(2 * len(stored) + inflated_bytes(stored) + others):
            return inflate(stored)

    def fetch(number: int) -> tuple[bytes, bytes | None]:
        done(number)
        key = tree.page_keys[number]
        stored = stored_page(store, key)
        if stored is None:
            raise tree.error(int(tree.page_first[number]), "its page is missing")
        try:
            page = inflated(stored, 0)
            stored = stored_page(store, key.residual)  # one after the other: a page may be large
            return page, None if stored is None else inflated(stored, len(page))
        except DamagedStore as error:
            raise tree.error(int(tree.page_first[number]), f"its page is damaged: {error}") from error

    return fetch


def inflated_bytes(member: bytes) -> int:
    """Bytes that a gzip member holds, as it says itself."""
    return int.from_bytes(member[-4:], "little")  # as gzip ends


def check_bytes(tree: BlockTree, number: int, stored: bytes) -> None:
    """Checks a page as it is stored: the checksums of both parts, and its size. Raises DamagedStore."""
    tiles = tree.page_tiles(number)
    shape, first = tree.shape, tiles.start
    try:
        page, residual = part_of(stored, Part.PAGE), part_of(stored, Part.RESIDUAL)
    except DamagedStore as error:
        raise tree.error(first, f"its page is damaged: {error}") from error
    if (residual is not None) != bool(shape.flags[first] & TileFlag.HAS_RESIDUAL):
        raise tree.error(first, "the shape record is wrong about whether its page has a residual")
    for name, part, crc in (("page", page, shape.page_crc), ("residual", residual, shape.residual_crc)):
        stored_crc, wanted = zlib.crc32(part or b""), int(crc[first])
        if stored_crc != wanted:
            what = f"the bytes of its {name} have been altered: their checksum is {stored_crc:08x}, not {wanted:08x}"
            raise tree.error(first, what)
    if len(stored) > PAGE_BYTES_AT_MOST and tiles.stop - tiles.start > 1:
        raise tree.error(tiles.start, f"its page has {len(stored)} bytes and more than one tile")


def inflate(member: bytes) -> bytes:
    """Inflates a gzip member. Unlike `decompress`, bytes that follow the member are an error."""
    if not member.startswith(MEMBER_HEADER):
        raise DamagedStore("it has a damaged header")
    inflater = isal_zlib.decompressobj(31)
    try:
        # So the result becomes no longer than it is to be.
        data: bytes = inflater.decompress(member, max(1, inflated_bytes(member)))
        if not inflater.eof:
            data += inflater.decompress(inflater.unconsumed_tail, 1)
    except (zlib.error, IsalError) as error:  # type: ignore[misc]  # its hints call the class a value
        raise DamagedStore(str(error)) from error
    if not inflater.eof or inflater.unused_data:
        raise DamagedStore("it is not exactly one gzip member")
    return data
