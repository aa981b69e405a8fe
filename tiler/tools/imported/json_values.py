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


def member(json_value: Any, *names: str) -> Any:
    """The value under these names, one in the other; None: nothing."""
    for name in names:
        json_value = json_value.get(name) if isinstance(json_value, dict) else None
    return json_value


def items(json_value: Any) -> list[Any]:
    """A list; empty for anything else."""
    return json_value if isinstance(json_value, list) else []


def text(json_value: Any) -> str | None:
    """A text, or a number as one; half a character, which does not travel, is a question mark."""
    if isinstance(json_value, str):
        return json_value[:_MAX_TEXT].encode("utf-8", "replace").decode()
    return str(json_value) if isinstance(json_value, int | float) and not isinstance(json_value, bool) else None


def number(json_value: Any) -> float | None:
    """A finite number, also one that is written as a text."""
    if isinstance(json_value, bool) or not isinstance(json_value, int | float | str):
        return None
    try:
        parsed = float(json_value)
    except (ValueError, OverflowError):
        return None
    return parsed if math.isfinite(parsed) else None


def whole(json_value: Any) -> int | None:
    """An integer of 64 bits, also one that is written as a text: these are in JSON."""
    if isinstance(json_value, str) and len(json_value) <= 20:
        digits = json_value.removeprefix("-")
        json_value = int(json_value) if digits.isascii() and digits.isdecimal() else None
    return (
        json_value
        if isinstance(json_value, int) and not isinstance(json_value, bool) and -_MOST <= json_value < _MOST
        else None
    )


def row_id(json_value: Any) -> int | None:
    """An integer that is a number in JSON, which many read as a double."""
    integer = whole(json_value)
    return None if integer is None or abs(integer) >= _MOST_EXACT else integer


def id_of(key: str, place: str) -> str:
    """The id of a fact or a column that a file calls so; that of its place where it cannot be one."""
    return key if _ID.fullmatch(key) else place


def ticks(amount: float | None, unit_ps: int, tick_ps: int) -> int | None:
    """A duration that the file has as a number of some unit; None: none, or one that no run has."""
    n_ticks = math.inf if amount is None else amount * unit_ps / tick_ps
    return round(n_ticks) if abs(n_ticks) < TICK_LIMIT else None
