"""Values that break things: limits of integers, names with control characters, and what rounding does not like."""

from __future__ import annotations

import random

_LIMITS = (7, 8, 15, 16, 31, 32, 47, 52, 53, 60, 61, 62, 63, 64)
EDGES = tuple(
    sorted(
        {sign * (1 << bits) + step for bits in _LIMITS for sign in (1, -1) for step in (-1, 0, 1)} | {0, 1, -1, 2, 3}
    )
)
YEARS_73_NS = 73 * 366 * 86_400 * 10**9
TEXTS = (
    "", " ", "a", "b", "op", "\n", "two\nlines", "\x1b[31mred", "\x00", "é", "😀", "\ufffd", "\u202eabc", "_pt", "_p",
    "_ct", "_c", "[no name]", "null", "a" * 300, "x" * 5000, "../../etc/passwd", "<b>&amp;", "\\", '"', "%s%n", "1",
    "-1", "1e999",
)  # fmt: skip
BYTES = (b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"a\x00b", b"\xef\xbf\xbd", b"\xe6\x97")


def integer(rng: random.Random, old: int = 0) -> int:
    """An integer in place of another: one beside it, a multiple of it, a small one, or one at a limit."""
    match rng.randrange(6):
        case 0:
            return old + rng.choice((-1, 1, -1000, 1000))
        case 1:
            return old * rng.choice((-1, 2, 1000, 1_000_000, -1000))
        case 2:
            return rng.randrange(-3, 4000)
        case 3:
            return old ^ (1 << rng.randrange(64))
        case 4:
            return rng.choice((YEARS_73_NS, -YEARS_73_NS, 2 * YEARS_73_NS)) * rng.choice((1, 1000))
        case _:
            return rng.choice(EDGES)


def number(rng: random.Random) -> float:
    """A double, often one that arithmetic does not like."""
    return rng.choice(
        (0.0, -0.0, 1.5, -1.5, 1e300, -1e300, 5e-324, 2.0**53, float("inf"), float("-inf"), float("nan"), rng.random())
    )


def raw_text(rng: random.Random) -> bytes:
    """A text, now and then one that is no UTF-8."""
    return rng.choice(BYTES) if rng.random() < 0.2 else rng.choice(TEXTS).encode()


def event_count(rng: random.Random) -> int:
    """How many events a track gets: mostly few; enough for tiles above leaves now and then."""
    share = rng.random()
    if share < 0.8:
        return rng.randrange(0, 40)
    return rng.randrange(900, 1300) if share < 0.97 else rng.randrange(2000, 4000)


def spans(rng: random.Random, count: int) -> list[tuple[int, int]]:
    """(start, duration) of so many events in one of the shapes that tracks have."""
    shape = rng.choice(("row", "nest", "stairs", "same", "scattered", "backwards", "empty"))
    unit = rng.choice((1, 10, 1000, 10**6))
    found: list[tuple[int, int]] = []
    at = 0
    for k in range(count):
        if shape == "row":
            length = rng.randrange(0, 50)
            found.append((at * unit, length * unit))
            at += length + rng.randrange(3)
        elif shape == "nest":
            depth = k % 60
            found.append(((100 * (k // 60) * 2 + depth) * unit, (130 - 2 * depth) * unit))
        elif shape == "stairs":
            found.append((k * unit, 20 * unit))
        elif shape == "same":
            found.append((7 * unit, 5 * unit))
        elif shape == "empty":
            found.append((rng.randrange(count) * unit, 0))
        else:
            found.append((rng.randrange(4 * count) * unit, rng.randrange(100) * unit))
    return found[::-1] if shape == "backwards" else found
