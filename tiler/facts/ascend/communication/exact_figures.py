"""Figures of files as scaled integers, so that sums are exact whatever their digits: `2.5209099999999998` ms is one."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from tilescope.tiler.facts.cell_figures import cell_decimal, scaled

_DIGITS: Final = 22  # behind the point; doubles that are at least 0.00001 have no more
SCALE: Final = 10**_DIGITS  # of one millisecond, and of one byte

_GREATEST: Final = 20  # power of ten: years in milliseconds, and all bytes that there are

KILOBYTE: Final = 1000
MEGABYTE: Final = 1_000_000
GIGABYTE: Final = 1_000_000_000


def exact(value: object, unit: int = 1) -> int | None:
    """A number, or its text, times `unit` and SCALE; None for what is no number of such a size, or is below 0."""
    number = cell_decimal(value) if isinstance(value, str | Decimal) else None
    if number is None or number < 0 or number.adjusted() > _GREATEST:
        return None
    return unit * scaled(number, _DIGITS)


def to_ticks(time: int, tick_ps: int) -> int:
    """Scaled milliseconds to the nearest tick."""
    unit = SCALE * tick_ps
    return (2 * time * 10**9 + unit) // (2 * unit)


def from_ticks(ticks: int, tick_ps: int) -> int:
    """The inverse, exactly."""
    return ticks * tick_ps * (SCALE // 10**9)


def to_bytes(size: int) -> int:
    """A scaled size to the nearest byte."""
    return (2 * size + SCALE) // (2 * SCALE)


def bandwidth(size: int, time: int) -> float | None:
    """Bytes a second; None where nothing took time."""
    return 1000 * size / time if time else None
