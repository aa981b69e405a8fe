"""Texts of events that are alike but for numbers, and what these say of all such events."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from typing import Final

from msgspec import Struct

from tilescope.tiler.details.codec import Arguments
from tilescope.tiler.details.json_args import decode
from tilescope.tiler.search.arguments import contains, shown

_NUMBER: Final = b"\0"  # in a text, for a number
_OPEN: Final = b"\1"  # in a wording, for a number of which nothing is known
_DIGIT: Final = "1"  # in the place of each of them where the text is read
_DIGITS: Final = re.compile("[0-9]+")
_WORD: Final = re.compile("[a-z_]{2,}")
_NUMERIC: Final = frozenset("0123456789+-.eE[], ")


class WordMatch(IntEnum):
    """Share of the events that are alike whose text contains a word."""

    NONE = 0
    SOME = 1  # it is up to their numbers
    ALL = 2


class Texts(Struct, frozen=True):
    """Arguments that are texts, or lists, of events that are alike: names and values."""

    values: tuple[tuple[str, str | list[object]], ...]
    has_numbers: bool = False  # each digit stands for any number
    lists_have_numbers: bool = False  # the same of digits in lists alone

    @classmethod
    def from_arguments(
        cls, arguments: Arguments, *, has_numbers: bool = False, lists_have_numbers: bool = False
    ) -> Texts:
        """Texts among some arguments."""
        values = tuple((name, value) for name, value in arguments if isinstance(value, str | list))
        return cls(values, has_numbers, lists_have_numbers)

    @property
    def has_open_names(self) -> bool:
        """True if numbers are in names, so that not even these are certain."""
        return self.has_numbers and any(_DIGITS.search(name) for name, _ in self.values)

    def verdicts(self, words: Sequence[str]) -> dict[str, WordMatch]:
        """By name, where there may be any: whether its values contain all of these words, each of them any."""
        by_name: dict[str, list[WordMatch]] = {}
        for name, value in self.values:
            verdicts = [self._verdict(value, word) for word in words]
            if any(verdicts):
                before = by_name.get(name)
                by_name[name] = verdicts if before is None else list(map(max, before, verdicts))
        return {name: lowest for name, verdicts in by_name.items() if (lowest := min(verdicts)) is not WordMatch.NONE}

    def _verdict(self, value: str | list[object], word: str) -> WordMatch:
        text = shown(value)
        if not (self.has_numbers or (self.lists_have_numbers and isinstance(value, list))):
            return WordMatch.ALL if contains(text, word) else WordMatch.NONE
        folded, wanted = text.casefold(), word.casefold()
        if isinstance(value, list):
            if self.has_numbers and _has_open_names(value):
                return WordMatch.SOME  # of names that differ in their numbers alone one was left
            if not _is_plain(value):
                # Other numbers may be written in another way.
                return WordMatch.SOME if set(wanted) <= _NUMERIC.union(folded, '"') else WordMatch.NONE
        has_quotes = isinstance(value, list) and '"' in wanted
        if not _DIGITS.search(wanted):
            if contains(text, word):
                return WordMatch.ALL
            if not has_quotes:
                return WordMatch.NONE
        if has_quotes:  # numbers that are too long, or begin with zeros, are texts
            folded, wanted = folded.replace('"', ""), wanted.replace('"', "")
        # Any number is a number. One at the edge of the word may be a part of it.
        is_possible = _DIGITS.sub(_DIGIT, wanted) in _DIGITS.sub(_DIGIT, folded)
        return WordMatch.SOME if is_possible else WordMatch.NONE


class StatTexts:
    """Texts that stats of some events of an XSpace say."""

    is_clear = True

    def __init__(self, texts: Texts) -> None:
        self._texts = texts

    def texts(self, _words: Iterable[bytes]) -> Texts:
        """All of them."""
        return self._texts


class ArgumentShape:
    """The wording of the arguments of some events, or the shape of their texts: it is read when it is needed."""

    def __init__(self, text: bytes, number: bytes, *, is_open: bool) -> None:
        """`number`: the byte in the place of one. `is_open`: it stands for any number; else for one without words."""
        self.text = text
        self._number = number
        self._has_numbers = number in text
        self._is_open = is_open and self._has_numbers
        # What is written in another way than it is read has to be read.
        is_plain = text.isascii() and b"\\" not in text and min(text.replace(number, b" "), default=0) >= 0x20
        self._plain = text.lower() if is_plain else None
        self._texts: Texts | None = None

    @classmethod
    def from_wording(cls, text: bytes) -> ArgumentShape:
        """`text` has a zero byte for each number without words, or a byte 1 for each number."""
        is_open = _OPEN in text
        return cls(text, _OPEN if is_open else _NUMBER, is_open=is_open)

    @classmethod
    def from_shape(cls, shape: bytes) -> ArgumentShape:
        """`shape` has a zero byte for each number, and may have any other."""
        return cls(shape, _NUMBER, is_open=True)

    def texts(self, words: Iterable[bytes]) -> Texts | None:
        """The texts in it; None where there is surely one of these words in none of them."""
        if self._plain is not None and any(word not in self._plain for word in words):
            return None
        if self._texts is None:
            arguments = decode(self.text.replace(self._number, _DIGIT.encode()))
            self._texts = Texts.from_arguments(
                arguments, has_numbers=self._is_open, lists_have_numbers=self._has_numbers
            )
        return self._texts

    @property
    def is_clear(self) -> bool:
        """False if digits may be escapes of other characters."""
        return not self._is_open or b"\\u" not in self.text


# Characters beyond ASCII that become letters of it where upper and lower case are alike, in UTF-8.
_OTHER_LETTERS: Final = tuple(
    chr(code).encode()
    for code in (0xDF, 0x130, 0x149, 0x17F, 0x1F0, *range(0x1E96, 0x1E9B), 0x1E9E, 0x212A, *range(0xFB00, 0xFB07))
)


def may_contain(word: str) -> re.Pattern[bytes] | None:
    """Pattern of arguments, in UTF-8 and lower case, of which a text may contain a word; None: of any."""
    letters = words_to_look_for([word])
    return re.compile(b"|".join(map(re.escape, (letters[0], *_OTHER_LETTERS)))) if letters else None


def words_to_look_for(words: Iterable[str]) -> list[bytes]:
    """Letters that shapes have where one of their texts has these words."""
    return [max(letters, key=len).encode() for word in words if (letters := _WORD.findall(word.casefold()))]


def _is_plain(values: list[object]) -> bool:
    """True if a list has no numbers but such as are shown as they are written."""
    return not any(
        isinstance(value, float) or (isinstance(value, int) and not isinstance(value, bool) and value <= 0)
        for value in _nested(values)
    )


def _has_open_names(values: list[object]) -> bool:
    """True if objects in a list have names with numbers."""
    return any(isinstance(value, dict) and any(map(_DIGITS.search, value)) for value in _nested(values))


def _nested(values: list[object]) -> Iterator[object]:
    """All that is in a list, and in what is in it."""
    pending: list[object] = list(values)
    while pending:
        value = pending.pop()
        yield value
        if isinstance(value, list):
            pending += value
        elif isinstance(value, dict):
            pending += value.values()
