"""Wordings of the arguments of trace events against a plain reference: whatever packed texts look like."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import islice, product
from string import ascii_lowercase

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.tiler.search.raw_json import LOOSE_OBJECTS, STRICT_OBJECTS
from tilescope.tiler import _native

Part = dict[bytes, int] | None  # events by wording; None: too many

MOST_NESTED = 64
FEW_WORDINGS = 64  # of a kind
FEW_TEXTS = 64  # of a part

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|.', re.DOTALL)
_STRING_OF_NUMBER = re.compile(r'"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?"')

SPACED_OBJECTS = st.tuples(STRICT_OBJECTS | LOOSE_OBJECTS, st.sampled_from(["", "", " ", "x"])).map("".join)
TEXTS = st.lists(SPACED_OBJECTS, max_size=2).map(lambda texts: "".join(texts).encode())


def is_strict(text: str) -> bool:
    """True for objects as Python's decoder reads them, without bare words and not nested too deeply."""

    def refuse(word: str) -> None:
        raise ValueError(word)

    decoder = json.JSONDecoder(strict=False, parse_constant=refuse, parse_int=str)
    depth = 0
    for token in _TOKEN.findall(text):
        depth += (token in "{[") - (token in "}]")
        if depth > MOST_NESTED:
            return False
    place = 0
    text = text.rstrip(" \t\r\n")
    while place < len(text) or not text:
        place += len(text[place:]) - len(text[place:].lstrip(" \t\r\n"))
        try:
            value, place = decoder.raw_decode(text, place)
        except ValueError:
            return False
        if not isinstance(value, dict):
            return False
    return True


def without_numbers(text: str) -> str:
    """Strictly written JSON with a zero byte for each row of digits of a number."""
    written = ""
    tokens = _TOKEN.findall(text)
    for k, token in enumerate(tokens):
        is_name = next((after for after in tokens[k + 1 :] if not after.isspace()), "") == ":"
        is_number = token[0] in "-0123456789" or (_STRING_OF_NUMBER.fullmatch(token) and not is_name)
        written += re.sub("[0-9]+", "\0", token) if is_number else token
    return written


class PlainWordings:
    """The reference: each text is read."""

    def __init__(self) -> None:
        self._wordings: dict[str, set[str]] = {}  # by kind
        self._events: Counter[str] = Counter()
        self._open: set[str] = set()

    def part(self, texts: Sequence[bytes]) -> Part:
        """Events of the next part by wording."""
        counts: Counter[bytes] = Counter()
        for text in texts:
            if b"\0" in text or b"\1" in text:
                return None
            if text:
                counts[self._wording(text.decode("latin-1")).encode("latin-1")] += 1
        if len(counts) > FEW_TEXTS and len(counts) * 8 > counts.total() * 7:
            return None
        return dict(counts)

    def _wording(self, text: str) -> str:
        kind = re.sub("[0-9]+", "\1", text)
        self._events[kind] += 1
        if not is_strict(text):
            self._open.add(kind)
        elif kind not in self._open:
            wording = without_numbers(text)
            wordings = self._wordings.setdefault(kind, set())
            wordings.add(wording)
            if len(wordings) <= FEW_WORDINGS or len(wordings) * 4 <= self._events[kind]:
                return wording
            self._open.add(kind)
        return kind


def columns(texts: Sequence[bytes]) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    ends = np.cumsum([len(text) for text in texts]).astype(np.int64)
    return ends, np.frombuffer(b"".join(texts), np.uint8)


def native_parts(packed: _native.PackedTexts, rows: Sequence[Sequence[bytes]], part_events: int) -> list[Part]:
    """Parts of events by the native maker; an event has some texts, one behind the other."""
    ends, data = packed.pack(*columns([text for row in rows for text in row]))
    last = np.cumsum([len(row) for row in rows])
    maker = _native.Wordings(packed, part_events)
    maker.add(np.ascontiguousarray(np.append(0, ends)[last]), 0, data)
    texts, sizes, places, counts = maker.finish()
    pairs = zip([texts[place] for place in places.tolist()], counts.tolist(), strict=True)
    return [None if size < 0 else dict(islice(pairs, size)) for size in sizes.tolist()]


@cache
def full() -> _native.PackedTexts:
    """Packed texts without room for a shape: all are kept as they are."""
    packed = _native.PackedTexts()
    packed.pack(*columns(["".join(letters).encode() for letters in product(ascii_lowercase, repeat=4)][: 1 << 15]))
    assert packed.shapes == 1 << 15
    return packed


def assert_alike(texts: Sequence[bytes], part_events: int) -> None:
    reference = PlainWordings()
    plain = [reference.part(texts[first : first + part_events]) for first in range(0, len(texts), part_events)]
    whole = [[text] for text in texts]
    assert native_parts(_native.PackedTexts(), whole, part_events) == plain
    assert native_parts(full(), whole, part_events) == plain
    in_two = [[text[: len(text) // 2], text[len(text) // 2 :]] for text in texts]
    assert native_parts(_native.PackedTexts(), in_two, part_events) == plain


@given(
    st.lists(TEXTS, min_size=1, max_size=6).flatmap(
        lambda texts: st.lists(st.sampled_from(texts), min_size=1, max_size=24)
    )
)
@example([b'{"a":"\\u1234"}', b'{"a":"\\u01234"}', b'{"a":"\\u012"}', b'{"a":"\\u1234"}', b'{"a":"\\u01234"}'])
@example([b'{"a":"\\u1234","b":7}', b'{"a":"\\u123","b":7}', b'{"a":"\\u1234","b":8}'])
@example([b'{"a":' * 65 + b"1" + b"}" * 65, b'{"a":' * 64 + b"1" + b"}" * 64])
def test_wordings_are_those_of_each_text(texts: list[bytes]) -> None:
    assert_alike(texts, 7)


@given(st.data())
def test_kinds_with_many_wordings_are_opened_alike(data: st.DataObject) -> None:
    """Shapes of one kind, with zeros before their numbers and without: what one opens is open for all."""
    number = st.integers(0, 90).map(str) | st.integers(0, 90).map(lambda value: f"{value:04}")
    text = st.tuples(number, st.integers(0, 9)).map(lambda parts: f'{{"a":"op {parts[0]}","n":{parts[1]}}}'.encode())
    random = data.draw(st.randoms(use_true_random=False))
    pool = data.draw(st.lists(text, min_size=1, max_size=30)) + [f'{{"a":"op {k}","n":1}}'.encode() for k in range(70)]
    assert_alike(random.choices(pool, k=400), 150)


def test_texts_beside_each_other_take_no_more_than_they_may() -> None:
    """Long texts that are no two alike: some are listed, and parts of the others are not."""
    texts = [b'{"a":"%s %d"}' % (bytes(97 + int(c) for c in str(k)) * 1000, k) for k in range(4000)]
    parts = native_parts(_native.PackedTexts(), [[text] for text in texts], 10)
    listed = sum(len(text) for part in parts if part is not None for text in part)
    assert (1 << 20) < listed <= (2 << 20) + 2 * len(texts)
    assert None in parts
    long = b'{"a":"%s"}' % (b"x" * (1 << 20))
    assert native_parts(_native.PackedTexts(), [[long]], 10) == [None]
