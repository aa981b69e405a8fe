"""What records hold, whatever isal writes of it: of equal contents that differs now and then, between threads too."""

from __future__ import annotations

from collections.abc import Iterable

from tilescope.tiler.pages.compress import MEMBER_HEADER, decompress
from tilescope.tiler.store import keys


def contents(records: Iterable[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """By key; without the manifest, which says when the store was built."""
    return {bytes(key): _content(bytes(value)) for key, value in records if key != keys.MANIFEST}


def _content(value: bytes) -> bytes:
    return decompress(value) if value.startswith(MEMBER_HEADER) else value
