"""Values in JSON of somebody else: of the type that is wanted, or not there."""

from __future__ import annotations

import math
import re
from typing import Any, Final

from tilescope.tiler.ticks import TICK_LIMIT

SHOWN_ROWS: Final = 100_000  # of a table

_MAX_TEXT: Final = 10_000  # characters
_MOST: Final = 1 << 63
_MOST_EXACT: Final = 1 << 53
_ID: Final = re.compile("[A-Za-z0-9_.-]{1,64}")


def member(of: Any, *names: str) -> Any:
    """What lies under these names, one in the other; None: nothing."""
    for name in names:
        of = of.get(name) if isinstance(of, dict) else None
    return of


def items(of: Any) -> list[Any]:
    """A list; empty for anything else."""
    return of if isinstance(of, list) else []


def text(of: Any) -> str | None:
    """A text, or a number as one; half a character, which does not travel, is a question mark."""
    if isinstance(of, str):
        return of[:_MAX_TEXT].encode("utf-8", "replace").decode()
    return str(of) if isinstance(of, int | float) and not isinstance(of, bool) else None


def number(of: Any) -> float | None:
    """A finite number, also one that is written as a text."""
    if isinstance(of, bool) or not isinstance(of, int | float | str):
        return None
    try:
        found = float(of)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def whole(of: Any) -> int | None:
    """An integer of 64 bits, also one that is written as a text: these are in JSON."""
    if isinstance(of, str) and len(of) <= 20:
        digits = of.removeprefix("-")
        of = int(of) if digits.isascii() and digits.isdecimal() else None
    return of if isinstance(of, int) and not isinstance(of, bool) and -_MOST <= of < _MOST else None


def row_id(of: Any) -> int | None:
    """An integer that is a number in JSON, which many read as a double."""
    found = whole(of)
    return None if found is None or abs(found) >= _MOST_EXACT else found


def id_of(key: str, place: str) -> str:
    """The id of a fact or a column that a file calls so; that of its place where it cannot be one."""
    return key if _ID.fullmatch(key) else place


def ticks(of: float | None, unit_ps: int, tick_ps: int) -> int | None:
    """A duration that the file has as a number of some unit; None: none, or one that no run has."""
    found = math.inf if of is None else of * unit_ps / tick_ps
    return round(found) if abs(found) < TICK_LIMIT else None
