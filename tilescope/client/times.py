"""Times as people have them, in ticks and back: exactly, so that no float is on the way."""

from __future__ import annotations

import operator
import re
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import UsageError
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.ticks import MICRO, TICK_LIMIT, UNITS_PS, refuse_float

# What may stand for a time: ticks, a text with a unit ("0.1 s", "250 us"), or a timedelta of Python, numpy or pandas.
Time = SupportsIndex | str | timedelta | np.timedelta64

# An amount of a unit. A float means its shortest decimal: 0.1 is a tenth.
Amount = int | float | Decimal

_SHOWN: Final = ("s", "ms", "us", "ns", "ps")
_TEXT: Final = re.compile(r"([+-]?[0-9]{1,40}(?:\.[0-9]{1,40})?) ?([a-z]*)", re.ASCII)
_NUMPY_PS: Final = {
    **{unit: Fraction(UNITS_PS[unit]) for unit in ("ps", "ns", "us", "ms", "s", "h")},
    "as": Fraction(1, 10**6),
    "fs": Fraction(1, 10**3),
    "m": Fraction(UNITS_PS["min"]),
    "D": Fraction(24 * UNITS_PS["h"]),
    "W": Fraction(7 * 24 * UNITS_PS["h"]),
}


def ticks_of(time: Time, tick_ps: int, name: str = "time") -> int:
    """The time in ticks. Raises UsageError, naming the argument: for a float, for no whole number of ticks."""
    if isinstance(time, str):
        return _of_text(time, tick_ps, name)
    if hasattr(time, "to_timedelta64"):  # of pandas: it has nanoseconds
        return _of_numpy(time.to_timedelta64(), tick_ps, name)
    if isinstance(time, np.timedelta64):
        return _of_numpy(time, tick_ps, name)
    if isinstance(time, timedelta):
        microseconds = (time.days * 86_400 + time.seconds) * 10**6 + time.microseconds
        return _whole(Fraction(microseconds * UNITS_PS["us"]), tick_ps, f"{name}: {time}")
    refuse_float(name, time)
    try:
        return operator.index(time)
    except TypeError:
        raise UsageError(f'{name}: {time!r} is not a time: give ticks, "0.1 s" or a timedelta') from None


def ticks_of_amounts(amounts: dict[str, Amount], tick_ps: int) -> int:
    """So much of these units in ticks. Raises UsageError for what is not a whole number of ticks."""
    total = Fraction(0)
    for unit, amount in amounts.items():
        try:
            total += Fraction(str(amount)) * UNITS_PS[unit]
        except ValueError:
            raise UsageError(f"{amount} {unit} is not a time") from None
    amounts_text = " + ".join(f"{amount} {unit}" for unit, amount in amounts.items() if amount)
    return _whole(total, tick_ps, amounts_text)


def time_text(ticks: SupportsIndex, tick_ps: int) -> str:
    """The ticks in the unit that fits, exactly: "1.25 ms". `ticks_of` reads it back."""
    ps = operator.index(ticks) * tick_ps
    unit = next((unit for unit in _SHOWN if abs(ps) >= UNITS_PS[unit]), "ns")
    whole, rest = divmod(abs(ps), UNITS_PS[unit])
    digits = str(rest).zfill(len(str(UNITS_PS[unit])) - 1).rstrip("0") if rest else ""
    return f"{'-' if ps < 0 else ''}{whole}{'.' if digits else ''}{digits} {unit}"


def timedelta_of(
    ticks: int | np.integer[Any] | NDArray[np.int64], tick_ps: int
) -> np.timedelta64 | NDArray[np.timedelta64]:
    """The ticks as a timedelta of numpy in their own unit: nothing is lost."""
    unit = {1: "ps", 1000: "ns"}[tick_ps]
    if isinstance(ticks, np.ndarray) and ticks.ndim:
        return ticks.astype(np.int64, copy=False).view(f"timedelta64[{unit}]")
    return np.timedelta64(operator.index(ticks), unit)  # type: ignore[call-overload,no-any-return]  # one of two units


def _of_text(text: str, tick_ps: int, name: str) -> int:
    match = _TEXT.fullmatch(text.strip().translate(MICRO))
    unit = match[2] if match else ""
    if match is None or (unit and unit not in UNITS_PS):
        raise UsageError(
            f"{name}: {text[:40]!r} is not a time: give ticks, or a number with a unit ({', '.join(UNITS_PS)})"
        )
    if unit:
        return _whole(Fraction(match[1]) * UNITS_PS[unit], tick_ps, f"{name}: {text}")
    if "." in match[1]:
        raise UsageError(f'{name}: {text!r} has no unit, but ticks are integers: give a unit, as in "0.1 s"')
    return int(match[1])


def _of_numpy(time: np.timedelta64, tick_ps: int, name: str) -> int:
    unit, count = np.datetime_data(time.dtype)
    if np.isnat(time) or unit not in _NUMPY_PS:
        raise UsageError(f"{name}: {time!r} is not a time")
    return _whole(_NUMPY_PS[unit] * count * int(time.astype(np.int64)), tick_ps, f"{name}: {time}")


def _whole(ps: Fraction, tick_ps: int, amount_text: str) -> int:
    ticks = ps / tick_ps
    if ticks.denominator != 1:
        raise UsageError(f"{amount_text} is not a whole number of ticks: a tick of this run is {time_text(1, tick_ps)}")
    return int(ticks)


def span_of(start: Time | None, end: Time | None, whole: TickRange, tick_ps: int) -> TickRange:
    """The span from a time to another; without one, from the start or to the end of the `whole`. Raises UsageError."""
    first = whole.start if start is None else ticks_of(start, tick_ps, "start")
    stop = None if end is None else ticks_of(end, tick_ps, "end")
    if stop is not None and stop < first:
        raise UsageError(f"ticks {first} to {stop} are not a span: the end is before the start")
    first = max(first, 0)
    return TickRange(first, max(first, whole.stop if stop is None else min(stop, TICK_LIMIT)))
