"""Text in UTF-16 or UTF-32 as UTF-8, piece by piece. `>` of Windows PowerShell writes UTF-16."""

from __future__ import annotations

import codecs
from typing import Final

from tilescope.tiler.readers.text import WHITE_SPACE

ENCODING_BYTES: Final = 64  # that tell an encoding

_MARKS: Final = (
    (codecs.BOM_UTF32_LE, "UTF-32", "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "UTF-32", "utf-32-be"),
    (codecs.BOM_UTF16_LE, "UTF-16", "utf-16-le"),
    (codecs.BOM_UTF16_BE, "UTF-16", "utf-16-be"),
)
_UNITS: Final = (  # how many bytes, and which of them a letter is in
    (2, 0, "UTF-16", "utf-16-le"),
    (2, 1, "UTF-16", "utf-16-be"),
    (4, 0, "UTF-32", "utf-32-le"),
    (4, 3, "UTF-32", "utf-32-be"),
)


class Transcoder:
    """Takes a text from its byte order mark on. What is no character becomes U+FFFD."""

    def __init__(self, name: str, codec: str) -> None:
        self.name = name
        self._decoder = codecs.getincrementaldecoder(codec)("replace")
        self._is_first = True

    def transcode(self, data: bytes) -> bytes:
        """The next piece. A character that is cut waits for the one after it."""
        text = self._decoder.decode(data)
        if self._is_first and text:
            self._is_first = False
            text = text.removeprefix("\ufeff")
        return text.encode("utf-8", "replace")

    @property
    def is_within_character(self) -> bool:
        """True if the last piece ended within a character."""
        return bool(self._decoder.getstate()[0])


def transcoder_of(head: bytes) -> Transcoder | None:
    """For a text that begins so, with `ENCODING_BYTES` or all of it; None for UTF-8 and whatever is no text."""
    for mark, name, codec in _MARKS:
        if head.startswith(mark):
            return Transcoder(name, codec)
    for width, offset, name, codec in _UNITS if b"\0" in head[:2] else ():
        if _begins_as_json(head, width, offset):
            return Transcoder(name, codec)
    return None


def _begins_as_json(head: bytes, width: int, offset: int) -> bool:
    """True if there is an object or an array behind white space, and all other bytes of these units are zero.

    No protobuf message begins so: tags are neither zero, nor 7B or 5B, which would begin a group.
    """
    letters = head[offset::width]
    begin = len(letters) - len(letters.lstrip(WHITE_SPACE))
    letters = letters[: begin + 2]
    is_json = letters[begin : begin + 1] in (b"{", b"[") and letters[begin + 1 :].isascii()
    units = head[: width * (begin + 2)]
    return is_json and b"\0" not in letters and units.count(0) == len(units) - len(letters) == (width - 1) * (begin + 2)
