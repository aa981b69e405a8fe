"""The native walk over a message finds what the plain one does, and refuses what that refuses."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiler.readers.wire_writer import data, number
from tilescope.tiler import _native
from tilescope.tiler.details.wire import WireDamage, fields, signed

FIXED = (b"\x09" + bytes(8), b"\x0d" + bytes(4))  # field 1, of eight and of four bytes


def plain(raw: bytes) -> list[tuple[int, int | bytes]] | None:
    """Those that are numbers or bytes; None: it is no message."""
    try:
        found = [(of.number, of.value) for of in fields(raw.replace(FIXED[0], b"").replace(FIXED[1], b""))]
    except WireDamage:
        return None
    return [(key, signed(value) if isinstance(value, int) else value) for key, value in found]


def test_as_the_plain_walk() -> None:
    rng = random.Random(7)
    parts = [number(1, 0), number(35, (1 << 64) - 1), data(2, b""), data(536_870_911, b"abc" * 99), *FIXED]
    for _ in range(200):
        raw = b"".join(rng.choices(parts, k=rng.randrange(9)))
        assert list(_native.MessageFields(raw)) == plain(raw)


DAMAGED = [b"\xff", b"\x08", b"\x0a\x05ab", b"\x08" + b"\xff" * 10, b"\x09\0", b"\x0f", b"\x0c", b"\x0b"]


@pytest.mark.parametrize("raw", DAMAGED)
def test_what_is_no_message_is_refused(raw: bytes) -> None:
    walk = _native.MessageFields(number(1, 5) + raw)
    assert next(walk) == (1, 5)
    with pytest.raises(_native.WireError):
        next(walk)


VALUES = _native.MessageValues([1, 35], [2, 9], [4, 3])


@given(
    st.lists(
        st.tuples(
            st.sampled_from((1, 2, 3, 4, 9, 35, 36, 5000)),
            st.one_of(st.integers(0, (1 << 64) - 1), st.binary(max_size=3), st.lists(st.integers(0, 300), max_size=3)),
        ),
        max_size=8,
    )
)
def test_values_are_those_of_the_plain_walk(of: list[tuple[int, int | bytes | list[int]]]) -> None:
    raw = b"".join(
        number(key, value)
        if isinstance(value, int)
        else data(key, value if isinstance(value, bytes) else packed(value))
        for key, value in of
    )
    last: dict[int, int | bytes] = {1: 0, 35: 0, 2: b"", 9: b""}
    repeated: dict[int, list[int]] = {4: [], 3: []}
    try:
        for key, value in plain(raw) or []:
            if key in repeated:
                repeated[key] += [value] if isinstance(value, int) else unpacked(value)
            elif key in last and isinstance(value, type(last[key])):
                last[key] = value
    except WireDamage:
        with pytest.raises(_native.WireError):
            VALUES.read(raw)
        return
    assert VALUES.read(raw) == (*last.values(), *map(tuple, repeated.values()))


def packed(numbers: list[int]) -> bytes:
    return b"".join(number(1, one)[1:] for one in numbers)


def unpacked(raw: bytes) -> list[int]:
    """Each is read as a field would be."""
    found = []
    while raw:
        (one,) = fields(b"\x08" + first_number(raw))
        assert isinstance(one.value, int)
        found.append(signed(one.value))
        raw = raw[len(first_number(raw)) :]
    return found


def first_number(raw: bytes) -> bytes:
    """The bytes up to the first that ends a number; all without one."""
    size = next((at for at, byte in enumerate(raw) if byte < 0x80), len(raw))
    return raw[: size + 1]


@pytest.mark.parametrize("raw", DAMAGED)
def test_values_of_what_is_no_message_are_refused(raw: bytes) -> None:
    with pytest.raises(_native.WireError):
        VALUES.read(number(1, 5) + raw)


def test_fields_that_cannot_be_taken_are_refused() -> None:
    for wrong in ([1024], [1] * 300):
        with pytest.raises(ValueError, match="field"):
            _native.MessageValues(wrong, [], [])
