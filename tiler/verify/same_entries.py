"""Two stores of the same trace, compared entry by entry: they say the same, whatever memory and cores made them.

Two builds differ in the build id and in the time of creation, which the manifest has. Nothing else depends on the
memory budget, on how many cores there are, or on which thread was first. The compressor is isal: in one of a million
members or so, seen on busy machines only, it misses a repetition and writes a few bytes more for equal data. Such
entries are compared by what they hold, and counted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from tilescope.tiler.errors import DamagedStore, StoresDiffer
from tilescope.tiler.pages.compress import MEMBER_HEADER, decompress
from tilescope.tiler.pages.key import Part
from tilescope.tiler.pages.shape import Shape
from tilescope.tiler.pages.stored import join_parts, part_of
from tilescope.tiler.records.catalogue import describe, record_of
from tilescope.tiler.records.manifest import MANIFEST
from tilescope.tiler.records.tiles import PAGE, SHAPE
from tilescope.tiler.store import open_store
from tilescope.tiler.store.store import Entry, Store
from tilescope.tiler.store.validation import must_make_sense

# Members of the manifest that are of the build, not of the trace.
_OF_THE_BUILD = ("build", "created_ns")

_NO_ENTRY: Entry = (b"\xff", b"")  # behind all others


class SameEntries(Struct, frozen=True):
    """Counts of entries of two stores that are the same."""

    entries: int  # of each store
    recompressed: int  # those of them that hold the same in other compressed bytes

    def lines(self) -> list[str]:
        """For people."""
        lines = [f"{self.entries:,} entries are equal, but for the build id and the time of creation"]
        if self.recompressed:
            lines.append(f"{self.recompressed:,} of them hold the same, compressed in other bytes")
        return lines


def compare_stores(path: Path, other: Path) -> SameEntries:
    """Compares all entries of two published stores. Memory is that of the two largest entries.

    Raises StoresDiffer at the first entry that differs, naming track, level and tile; DamagedStore; NoStore;
    StoreVersion.
    """
    store = open_store(path)
    try:
        second = open_store(other)
        try:
            return compare_entries(store, second)
        finally:
            second.close()
    finally:
        store.close()


def content(key: bytes, value: bytes) -> bytes:
    """Content of an entry, whatever the compressor made of it; of the manifest the part about the trace."""
    record = record_of(key)
    if record is MANIFEST:
        return json.dumps(_of_the_trace(json.loads(decompress(value)))).encode()
    if record is PAGE:
        page, residual = part_of(value, Part.PAGE), part_of(value, Part.RESIDUAL)
        return join_parts(decompress(page or b""), b"" if residual is None else decompress(residual))
    if record is SHAPE:
        shape = Shape.decode(decompress(value))
        # Checksums of what is compressed: zero still says where there is none.
        page_crc, residual_crc = (np.sign(crc) for crc in (shape.page_crc, shape.residual_crc))
        return replace(shape, page_crc=page_crc, residual_crc=residual_crc).encode()
    return decompress(value) if value.startswith(MEMBER_HEADER) else value


def _of_the_trace(manifest: dict[str, Any]) -> dict[str, Any]:
    public = {name: value for name, value in manifest["public"].items() if name not in _OF_THE_BUILD}
    own = {name: value for name, value in manifest.items() if name != "axis"}  # its id is of a command
    return {**own, "public": public}


def compare_entries(store: Store, other: Store) -> SameEntries:
    """Compares all entries of two open stores. Raises as `compare_stores`."""
    entries = recompressed = 0
    for (key, value), (other_key, other_value) in _pairs(store, other):
        if key != other_key:
            missing, there, what = (other, store, key) if key < other_key else (store, other, other_key)
            raise StoresDiffer(f"{missing.location}: lacks {describe(what)}, which {there.location} has")
        entries += 1
        if value == other_value:
            continue
        if _content(store, key, value) != _content(other, key, other_value):
            raise StoresDiffer(f"{other.location}: differs from {store.location}: {describe(key)}")
        recompressed += key != MANIFEST.key()
    return SameEntries(entries, recompressed)


def _pairs(store: Store, other: Store) -> Iterator[tuple[Entry, Entry]]:
    return zip_longest(store.records(), other.records(), fillvalue=_NO_ENTRY)


def _content(store: Store, key: bytes, value: bytes) -> bytes:
    with must_make_sense(store.location):
        try:
            return content(key, value)
        except DamagedStore as error:
            raise DamagedStore(f"{store.location}: {describe(key)}: {error}") from error
