"""A kind of record: its letter, the shape of its keys, and what is said of it to builders, readers and provers.

Keys are big-endian, so that byte order is scan order. The first byte of a key is the letter of its record.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from enum import Enum
from functools import partial
from typing import Final

# Numbers of keys, with their formats in `struct`: the name of a number says what it is, the same in all records.
KEY_NUMBERS: Final = {
    "block": "I",
    "track": "I",
    "level": "B",
    "tile": "Q",
    "slot": "B",
    "event": "Q",
    "page": "I",
    "chunk": "I",
    "file": "I",
    "carrier": "I",
    "end": "Q",
    "attachment": "I",
    "table": "I",
    "column": "I",
    "answer": "I",
}


class Available(Enum):
    """From when on a record can be read of a run that is being indexed. The value is for people."""

    AT_ONCE = "from the first look at the run on; may be written anew as long as files are read"
    WITH_BLOCK = "with its block: nothing before"
    WITH_TRACK = "with the block of its track: `NotBuilt` before"
    AT_END = "when all tracks are built: `StoredLast` before"


class Record:
    """One kind of record. Equal to itself alone."""

    __slots__ = ("_keys", "available", "doc", "key", "letter", "numbers", "proof", "title")

    key: Callable[..., bytes]
    """Returns the key of one record, of its numbers. Raises struct.error for a number that no key has."""

    def __init__(
        self, letter: str, numbers: str, title: str | Callable[..., str], available: Available, *, doc: str, proof: str
    ) -> None:
        """`numbers`: of the key, in order, each a name of KEY_NUMBERS. `title`: in words, with their names in braces.

        `doc`: what the record is. `proof`: what `verify` compares it with, or why with nothing.
        """
        self.letter: Final = letter.encode()
        self.numbers: Final = tuple(numbers.split())
        self.title: Final = title
        self.available: Final = available
        self.doc: Final = doc
        self.proof: Final = proof
        formats = "".join(KEY_NUMBERS[number] for number in self.numbers)
        # By how many of its numbers a beginning of a key has.
        self._keys: Final = tuple(struct.Struct(f">c{formats[:count]}") for count in range(len(formats) + 1))
        # No method: each page that is read needs a key, and this takes half as long (0.17 us in place of 0.33, timeit).
        self.key = partial(self._keys[-1].pack, self.letter)

    def __repr__(self) -> str:
        return f"Record({self.letter.decode()!r}, {' '.join(self.numbers)!r})"

    @property
    def key_bytes(self) -> int:
        """The length of its keys."""
        return self._keys[-1].size

    def prefix(self, *numbers: int) -> bytes:
        """Returns the beginning of all keys with these first numbers. Raises struct.error for numbers that none has."""
        return self._keys[len(numbers)].pack(self.letter, *numbers)

    def numbers_in(self, key: bytes) -> tuple[int, ...]:
        """The numbers of a key of this kind. Raises struct.error for one of another length."""
        numbers: tuple[int, ...] = self._keys[-1].unpack(key)[1:]
        return numbers

    def describe(self, *numbers: int) -> str:
        """The record with these numbers in words."""
        write = self.title.format if isinstance(self.title, str) else self.title
        return write(**dict(zip(self.numbers, numbers, strict=True)))
