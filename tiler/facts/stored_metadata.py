"""Reads the rows of metadata that are stored for a run."""

from __future__ import annotations

from collections.abc import Generator
from typing import Final

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import decompress
from tilescope.tiler.query import QueryReader
from tilescope.tiler.records.device.metadata_rows import METADATA_ROWS, StoredRows
from tilescope.tiler.store.two_threads import for_each

_AT_ONCE: Final = 64  # chunks, between two turns: some tens of milliseconds


def stored_rows(reader: QueryReader) -> Generator[None, None, StoredRows]:
    """All of them, which two threads inflate; nothing where none are stored. Raises DamagedStore."""
    chunks: list[bytes] = []
    while (chunk := reader.store.get(METADATA_ROWS, len(chunks))) is not None:
        chunks.append(chunk)
    if not chunks:
        return StoredRows.nothing()
    inflated = yield from for_each(chunks, lambda chunk, _: decompress(chunk), None, None, _AT_ONCE)
    try:
        return StoredRows.of_chunks(inflated)
    except (ValueError, LookupError, TypeError) as error:
        raise DamagedStore(f"rows of metadata that make no sense: {error}") from error
