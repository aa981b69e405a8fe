"""Parts of answers: the `Range` header of RFC 9110, for downloads that broke off.

One range of bytes at a time. A header that is none, names another unit or several ranges is ignored, as the RFC allows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_RANGE: Final = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ByteRange:
    """Bytes `[start, end)` of a body. Empty when the body has no such bytes."""

    start: int
    end: int

    def content_range(self, size_bytes: int) -> str:
        """The value of `Content-Range` for a body of that size."""
        if self.start >= self.end:
            return f"bytes */{size_bytes}"
        return f"bytes {self.start}-{self.end - 1}/{size_bytes}"


def parse_range(header: str | None, size_bytes: int) -> ByteRange | None:
    """The bytes asked for of a body of that size; None: all of it."""
    match = _RANGE.fullmatch((header or "").replace(" ", ""))
    if match is None or match.group(1, 2) == ("", ""):
        return None
    first, last = match.groups()
    if not first:  # the last so many bytes
        return ByteRange(max(0, size_bytes - int(last)), size_bytes)
    if last and int(last) < int(first):
        return None
    return ByteRange(int(first), min(size_bytes, int(last) + 1) if last else size_bytes)
