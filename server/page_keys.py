"""Page keys that a client sent, in JSON or in msgpack: checked strictly before anything is done with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tilescope.tiler.pages import PageKey

MAX_PAGE_KEYS: Final = 4096  # in one list

# Upper bounds (exclusive) of the parts of a page key: block, level, index, slot. See docs/page-format.md, "Geometry".
KEY_LIMITS: Final = (2**32, 32, 2**53, 32)


def parse_page_keys(value: object, name: str = "pages") -> tuple[PageKey, ...]:
    """The keys of a list of `[block, level, index, slot]`. Raises `ValueError` with a line for the client."""
    if not isinstance(value, list):
        raise ValueError(f'"{name}" is an array of page keys')
    if len(value) > MAX_PAGE_KEYS:
        raise ValueError(f'"{name}" holds at most {MAX_PAGE_KEYS:,} page keys, not {len(value):,}')
    return tuple(_page_key(key) for key in value)


def _page_key(value: object) -> PageKey:
    if not isinstance(value, Sequence) or len(value) != len(KEY_LIMITS):
        raise ValueError("a page key is [block, level, index, slot]")
    for part, limit in zip(value, KEY_LIMITS, strict=True):
        if type(part) is not int or not 0 <= part < limit:
            raise ValueError(f"{value!r} is not a page key")
    return PageKey(*value)
