"""Tables of metadata as the format says, in plain Python: for tests, and to compare native code with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tilescope.tiler.details.xstat_tables import (
    ENTRIES_PER_PAGE,
    EventMetadata,
    PlaneNames,
    XStatTables,
    pack_head,
)


def tables_of(planes: Sequence[PlaneNames], entries: Sequence[EventMetadata], names: Sequence[int]) -> XStatTables:
    """Tables of these, of which none is like another."""
    return XStatTables(head_of(planes, entries, names), pages_of(entries).__getitem__)


def head_of(planes: Sequence[PlaneNames], entries: Sequence[EventMetadata], names: Sequence[int]) -> bytes:
    """Their head."""
    return pack_head(
        planes,
        np.array([of.plane for of in entries], np.int32),
        np.array([of.id for of in entries], np.int64),
        np.arange(len(entries), dtype=np.int32),
        np.array(names, np.int32),
    )


def pages_of(entries: Sequence[EventMetadata]) -> list[bytes]:
    """Their pages."""
    pages: list[bytes] = []
    for first in range(0, len(entries), ENTRIES_PER_PAGE):
        some = entries[first : first + ENTRIES_PER_PAGE]
        pages.append(page_of([of.stats for of in some]))
        pages.append(page_of([of.name.encode() for of in some], [of.long_name.encode() for of in some]))
    return pages


def page_of(*columns: Sequence[bytes]) -> bytes:
    """A page of columns of bytes."""
    page = len(columns[0]).to_bytes(4, "little")
    for column in columns:
        for byte in range(4):
            page += bytes(len(of) >> 8 * byte & 0xFF for of in column)
    return page + b"".join(of for column in columns for of in column)
