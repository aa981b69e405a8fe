"""Text of one line in which nothing but text is left.

Names in traces, names of files and what clients send may hold line breaks, escape sequences that change a terminal,
marks that turn the direction of text, and bytes that are no text at all.
"""

from __future__ import annotations

import json
import unicodedata
from typing import Any


def printable(text: str) -> str:
    r"""The text on one line, with everything that is not to be seen escaped: "a\nb" as in Python, bytes as "\xff"."""
    return text if text.isprintable() else "".join(map(_printable_character, text))


def printable_json(value: Any) -> str:
    """JSON on several lines that shows letters of all languages as they are, and escapes what is not to be seen."""
    text = json.dumps(value, ensure_ascii=False, indent=1)
    # Line breaks that are left are JSON's own: those in strings are escaped already.
    if text.replace("\n", "").isprintable():
        return text
    return "".join(c if _is_seen(c) or c == "\n" else _json_character(c) for c in text)


def _is_seen(character: str) -> bool:
    return character.isprintable() or unicodedata.category(character) == "Zs"


def _printable_character(character: str) -> str:
    if _is_seen(character):
        return character
    if "\udc80" <= character <= "\udcff":  # a byte of a file name that is no UTF-8
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape").decode("ascii")


def _json_character(character: str) -> str:
    return "\\u007f" if character == "\x7f" else json.dumps(character)[1:-1]
