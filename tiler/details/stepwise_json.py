"""JSON that somebody else wrote, parsed in steps; what that takes in memory is counted before."""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

from tilescope.tiler.errors import TooLarge

# Of a value, in memory. A question has 512 MB, and needs some for its columns.
MAX_PARSED_BYTES: Final = 320 << 20

# Python's objects on 64 bits: a dict of up to five members, and the slot and the number of a further value.
_CONTAINER_BYTES: Final = 190
_VALUE_BYTES: Final = 40

# Characters of a text take as many bytes as the widest: those whose UTF-8 has a byte from so much on.
_WIDTHS: Final = ((0xF0, 4), (0xC4, 2))

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
    widest = int(outside.max(initial=0))
    width = next((width for least, width in _WIDTHS if widest >= least), 1)
    return containers * _CONTAINER_BYTES + values * _VALUE_BYTES + (1 + width) * len(content)


def deep_place(content: bytes, depth: int) -> int | None:
    """The offset of the first container of JSON that lies in so many others; None: there is none."""
    outside = np.frombuffer(content.replace(b"\\\\", b"  ").replace(b'\\"', b"  "), np.uint8)
    open_before = quotes = 0
    for first in range(0, len(outside), _COUNTED):
        piece = outside[first : first + _COUNTED]
        quoted = np.cumsum(piece == ord('"')) + quotes
        quotes = int(quoted[-1])
        opens, closes = (np.isin(piece, np.frombuffer(marks, np.uint8)) & (quoted % 2 == 0) for marks in (b"{[", b"}]"))
        levels = np.cumsum(opens.astype(np.int64) - closes) + open_before
        open_before = int(levels[-1])
        deep = np.flatnonzero(opens & (levels > depth))
        if len(deep):
            return first + int(deep[0])
    return None


def must_fit(content: bytes, path: Path | str, memory_bytes: int = MAX_PARSED_BYTES) -> None:
    """Raises TooLarge for JSON of a file that takes more memory than this, or than a question may."""
    needed, limit = parsed_bytes(content), min(memory_bytes, MAX_PARSED_BYTES)
    if needed > limit:
        what = (
            f"is JSON that takes {needed / 1e6:,.0f} MB of memory when it is read, the limit is {limit / 1e6:,.0f} MB"
        )
        raise TooLarge(path, what, advice="give more with --memory" if needed <= MAX_PARSED_BYTES else "")


def parse_json(text: str) -> Generator[None, None, Any]:
    """The value of JSON; None stands for NaN, too. Raises ValueError, RecursionError."""
    parser = _Parser(text)
    value, end = yield from parser.value(0, _OPENED)
    parser.must_end(end)
    return value


def json_items(text: str, key: str) -> Iterator[Any]:
    """The items of a list, one at a time, which is all that an object holds, under this key. Raises ValueError."""
    parser = _Parser(text)
    position = parser.opened(0, "{")
    name, position = parser.decoded(position)
    if name != key:
        raise json.JSONDecodeError(f"Expecting {key!r}", text, position)
    position = parser.opened(parser.opened(position, ":"), "[")
    is_first = True
    while not parser.ends(position, "]"):
        item, position = parser.decoded(position if is_first else parser.opened(position, ","))
        is_first = False
        yield item
    parser.must_end(parser.opened(parser.opened(position, "]"), "}"))


class _Parser:
    """Each method returns a value, and where it ends."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._decode = json.JSONDecoder(parse_constant=lambda _text: None).raw_decode
        self._turn = 0  # the place where another one has its turn
        self._keys: dict[str, str] = {}

    def value(self, position: int, opened: int) -> Generator[None, None, tuple[Any, int]]:
        position = self._behind_space(position)
        mark = self._text[position : position + 1]
        if opened and mark == "[":
            return (yield from self._items(position + 1, opened - 1))
        if opened and mark == "{":
            return (yield from self._members(position + 1, opened - 1))
        decoded = self._decode(self._text, position)
        if decoded[1] >= self._turn:
            self._turn = decoded[1] + _AT_ONCE
            yield
        return decoded

    def must_end(self, position: int) -> None:
        """Raises ValueError for what follows."""
        position = self._behind_space(position)
        if position < len(self._text):
            raise json.JSONDecodeError("Extra data", self._text, position)

    def decoded(self, position: int) -> tuple[Any, int]:
        """A value in one go."""
        return self._decode(self._text, self._behind_space(position))

    def ends(self, position: int, mark: str) -> bool:
        """True if this mark is next."""
        position = self._behind_space(position)
        return self._text[position : position + 1] == mark

    def opened(self, position: int, mark: str) -> int:
        """The place behind this mark, which must be next."""
        position = self._behind_space(position)
        if self._text[position : position + 1] != mark:
            raise json.JSONDecodeError(f"Expecting {mark!r}", self._text, position)
        return position + 1

    def _items(self, position: int, opened: int) -> Generator[None, None, tuple[list[Any], int]]:
        items: list[Any] = []
        while not self.ends(position, "]"):
            value, position = yield from self.value(position if not items else self.opened(position, ","), opened)
            items.append(value)
        return items, self.opened(position, "]")

    def _members(self, position: int, opened: int) -> Generator[None, None, tuple[dict[str, Any], int]]:
        members: dict[str, Any] = {}
        is_first = True
        while not self.ends(position, "}"):
            key, position = self.decoded(position if is_first else self.opened(position, ","))
            if not isinstance(key, str):
                raise json.JSONDecodeError("Expecting a name", self._text, position)
            members[self._keys.setdefault(key, key)], position = yield from self.value(
                self.opened(position, ":"), opened
            )
            is_first = False
        return members, self.opened(position, "}")

    def _behind_space(self, position: int) -> int:
        match = _SPACE.match(self._text, position)
        return position if match is None else match.end()
