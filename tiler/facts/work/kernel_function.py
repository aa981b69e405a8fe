"""The function that a kernel is, of the name that a trace has for it."""

from __future__ import annotations

import re
from typing import Final

MAX_NAME_CHARS: Final = 4096  # of a name that are looked at: templates may have megabytes

_ANONYMOUS: Final = "(anonymous namespace)"
_BRACKETS: Final = re.compile(r"\(anonymous namespace\)|[<>(]")
_MANGLED: Final = re.compile(r"(?<![A-Za-z0-9_])_Z(?:TS)?[A-Z]*(?=[0-9])")
_IDENTIFIER: Final = re.compile(r"L?([1-9][0-9]{0,3})")
_QUALIFIER: Final = "::"


def kernel_function(text: str) -> str:
    """Its name with namespaces, without what it returns, template arguments and parameters.

    `void a::b<int>(int*)` and `_ZN1a1bIiEEvPi` are `a::b`. Names that are no signature are returned as they are.
    """
    text = text[:MAX_NAME_CHARS]
    mangled = _MANGLED.search(text)
    if mangled is not None:
        path = _of_mangled(text, mangled.end())
        if path:
            return path
    return _of_signature(text) if "<" in text or "(" in text else text


def _of_mangled(text: str, position: int) -> str:
    """The identifiers of a nested name up to its first template arguments (Itanium C++ ABI)."""
    path = []
    while (length := _IDENTIFIER.match(text, position)) is not None:
        position = length.end() + int(length[1])
        if position > len(text):
            break
        path.append(text[length.end() : position])
    return _QUALIFIER.join(path)


def _of_signature(text: str) -> str:
    kept: list[str] = []
    depth = begin = 0
    for bracket in _BRACKETS.finditer(text):
        sign, position = bracket[0], bracket.start()
        if sign == "<":
            if not depth:
                kept.append(text[begin:position])
            depth += 1
        elif sign == ">":
            if depth and text[position - 1] != "-":
                depth -= 1
                begin = position + 1
        elif sign == "(" and not depth:
            if text[position - 1 : position] in ("", " "):
                return text  # words in brackets, no parameters
            kept.append(text[begin:position])
            break
    else:
        if not depth:
            kept.append(text[begin:])
    path = "".join(kept).replace(_ANONYMOUS, "anonymous").strip()
    return path.rpartition(" ")[2] or text
