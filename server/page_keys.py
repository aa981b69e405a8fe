"""Page keys that a client sent, in JSON or in msgpack: checked strictly before anything is done with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tilescope.tiler.pages import PageKey, Part
from tilescope.tiler.schema import LIMITS

MAX_PAGE_KEYS: Final = LIMITS.page_keys  # in one list

# Upper bounds (exclusive) of what a page key consists of, see docs/page-format.md, "Geometry".
KEY_LIMITS: Final = PageKey(block=2**32, level=32, index=2**53, slot=32, part=len(Part))


def parse_page_keys(value: object, name: str = "pages") -> tuple[PageKey, ...]:
    """The keys of a list of `[block, level, index, slot]`, a fifth number names the part.

    Raises `ValueError` with a line for the client.
    """
    if not isinstance(value, list):
        raise ValueError(f'"{name}" is an array of page keys')
    if len(value) > MAX_PAGE_KEYS:
        raise ValueError(f'"{name}" holds at most {MAX_PAGE_KEYS:,} page keys, not {len(value):,}')
    return tuple(_page_key(key) for key in value)


def _page_key(value: object) -> PageKey:
    if not isinstance(value, Sequence) or len(value) not in (len(KEY_LIMITS) - 1, len(KEY_LIMITS)):
        raise ValueError("a page key is [block, level, index, slot] or [block, level, index, slot, part]")
    for number, limit in zip(value, KEY_LIMITS, strict=False):
        if type(number) is not int or not 0 <= number < limit:
            raise ValueError(f"{value!r} is not a page key")
    return PageKey(*value)
