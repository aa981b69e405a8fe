"""Text for agents: bounded, on one line, and text of a trace so that it cannot be taken for words of ours."""

from __future__ import annotations

from typing import Final

from tilescope.tiler.printable_text import printable

MOST_BYTES: Final = 8_000  # of an answer's text
CELL_CHARACTERS: Final = 80  # of a name in a table


def one_line(text: str, characters: int = CELL_CHARACTERS) -> str:
    """The text on one line, cut in its middle where it is longer: both ends of a name tell it from others.

    It has at most so many characters with whatever is escaped, too.
    """
    return _cut(printable(_cut(text, characters)), characters)


def _cut(text: str, characters: int) -> str:
    if len(text) <= characters:
        return text
    begin = (characters - 1) * 2 // 3
    return f"{text[:begin]}…{text[len(text) - (characters - 1 - begin) :]}"


def size_bytes(text: str) -> int:
    """Bytes that the text and the end of its line take."""
    return len(text.encode("utf-8", "replace")) + 1
