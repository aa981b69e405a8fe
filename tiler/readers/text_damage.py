"""Recognises binary files that went through a text conversion.

A tool that reads a binary file as UTF-8 text and writes it back replaces each byte that is no UTF-8 by U+FFFD, EF
BF BD. The result is valid UTF-8 with many of these among control characters, which neither a healthy binary file nor a
text is.
"""

from __future__ import annotations

_REPLACEMENT = "\ufffd".encode()
_MANY = 8


def find_text_damage(head: bytes) -> int | None:
    """Offset of the first replaced byte in the first bytes of a file, or None when it does not look mangled."""
    if head.count(_REPLACEMENT) < _MANY:
        return None
    try:
        text = head.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(head) - 3:  # not just a character that is cut at the end
            return None
        text = head[: error.start].decode("utf-8")
    if not any(ord(character) < 32 and character not in "\t\n\r" for character in text):
        return None
    return head.index(_REPLACEMENT)
