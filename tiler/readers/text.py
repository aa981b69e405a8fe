"""Tells text from binary data."""

from __future__ import annotations

from typing import Final

BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
WHITE_SPACE: Final = b" \t\r\n\f\v"

_CONTROL: Final = bytes(set(range(32)) - set(WHITE_SPACE))


def is_text(data: bytes) -> bool:
    """True if there is no control character in it."""
    return len(data.translate(None, _CONTROL)) == len(data)
