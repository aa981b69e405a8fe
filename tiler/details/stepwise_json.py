"""JSON that somebody else wrote, parsed in steps; what that takes in memory is counted before."""

from __future__ import annotations

import json
import re
from collections.abc import Generator
from pathlib import Path
from typing import Any, Final

import numpy as np

from tilescope.tiler.errors import TooLarge

# Of a value, in memory. A question has 512 MB, and needs some for its columns.
MAX_PARSED_BYTES: Final = 320 << 20

# Python's objects on 64 bits: a dict of up to five members, the slot and the number of a further value, and a text
# beside the one that it was cut from.
_CONTAINER_BYTES: Final = 190
_VALUE_BYTES: Final = 40
_COPIES: Final = 2

_COUNTED: Final = 1 << 20  # bytes that are looked at together
_OPENED: Final = 3  # containers in containers that are parsed bit by bit; what is in these, each in one go
_AT_ONCE: Final = 1 << 18  # characters between two turns

_SPACE: Final = re.compile(r"[ \t\r\n]*")


def parsed_bytes(content: bytes) -> int:
    """About what the value of JSON takes in memory."""
    # Of the same length: places do not matter, marks in texts do.
    outside = np.frombuffer(content.replace(b"\\\\", b"  ").replace(b'\\"', b"  "), np.uint8)
    containers = values = quotes = 0
    for first in range(0, len(outside), _COUNTED):
        piece = outside[first : first + _COUNTED]
        quoted = np.cumsum(piece == ord('"')) + quotes
        quotes = int(quoted[-1])
        piece = piece[quoted % 2 == 0]
        containers += int(np.count_nonzero((piece == ord("{")) | (piece == ord("["))))
        values += int(np.count_nonzero(piece == ord(",")))
    return containers * _CONTAINER_BYTES + values * _VALUE_BYTES + _COPIES * len(content)


def must_fit(content: bytes, path: Path | str, most_bytes: int = MAX_PARSED_BYTES) -> None:
    """Raises TooLarge for JSON of a file that takes more memory."""
    needed = parsed_bytes(content)
    if needed > most_bytes:
        what = f"is JSON that takes {needed / 1e6:,.0f} MB of memory when it is read, the limit is"
        raise TooLarge(path, f"{what} {most_bytes / 1e6:,.0f} MB")


def parse_json(text: str) -> Generator[None, None, Any]:
    """The value of JSON; None stands for NaN, too. Raises ValueError, RecursionError."""
    parser = _Parser(text)
    value, end = yield from parser.value(0, _OPENED)
    parser.must_end(end)
    return value


class _Parser:
    """Each method returns a value, and where it ends."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._decode = json.JSONDecoder(parse_constant=lambda _text: None).raw_decode
        self._turn = 0  # the place where another one has its turn
        self._keys: dict[str, str] = {}

    def value(self, at: int, opened: int) -> Generator[None, None, tuple[Any, int]]:
        at = self._behind_space(at)
        mark = self._text[at : at + 1]
        if opened and mark == "[":
            return (yield from self._items(at + 1, opened - 1))
        if opened and mark == "{":
            return (yield from self._members(at + 1, opened - 1))
        found = self._decode(self._text, at)
        if found[1] >= self._turn:
            self._turn = found[1] + _AT_ONCE
            yield
        return found

    def must_end(self, at: int) -> None:
        """Raises ValueError for what follows."""
        at = self._behind_space(at)
        if at < len(self._text):
            raise json.JSONDecodeError("Extra data", self._text, at)

    def _items(self, at: int, opened: int) -> Generator[None, None, tuple[list[Any], int]]:
        found: list[Any] = []
        while not self._ends(at, "]"):
            value, at = yield from self.value(self._behind_comma(at, is_first=not found), opened)
            found.append(value)
        return found, self._behind_space(at) + 1

    def _members(self, at: int, opened: int) -> Generator[None, None, tuple[dict[str, Any], int]]:
        found: dict[str, Any] = {}
        is_first = True
        while not self._ends(at, "}"):
            at = self._behind_space(self._behind_comma(at, is_first=is_first))
            if self._text[at : at + 1] != '"':
                raise json.JSONDecodeError("Expecting property name enclosed in double quotes", self._text, at)
            key, at = self._decode(self._text, at)
            at = self._behind_space(at)
            if self._text[at : at + 1] != ":":
                raise json.JSONDecodeError("Expecting ':' delimiter", self._text, at)
            found[self._keys.setdefault(key, key)], at = yield from self.value(at + 1, opened)
            is_first = False
        return found, self._behind_space(at) + 1

    def _ends(self, at: int, mark: str) -> bool:
        at = self._behind_space(at)
        return self._text[at : at + 1] == mark

    def _behind_comma(self, at: int, *, is_first: bool) -> int:
        if is_first:
            return at
        at = self._behind_space(at)
        if self._text[at : at + 1] != ",":
            raise json.JSONDecodeError("Expecting ',' delimiter", self._text, at)
        return at + 1

    def _behind_space(self, at: int) -> int:
        found = _SPACE.match(self._text, at)
        return at if found is None else found.end()
