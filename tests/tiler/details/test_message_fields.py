"""The native walk over a message finds what the plain one does, and refuses what that refuses."""

from __future__ import annotations

import random

import pytest

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
