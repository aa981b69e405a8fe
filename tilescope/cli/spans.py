"""Times as people write them on a command line: ticks, or a number with a unit."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

from tilescope.tiler.errors import UsageError
from tilescope.tiler.ticks import MICRO, UNITS_PS

_TICKS: Final = re.compile(r"-?[0-9]{1,40}", re.ASCII)
_TIME: Final = re.compile(rf"(-?[0-9]{{1,30}}(?:\.[0-9]{{1,30}})?) ?({'|'.join(UNITS_PS)})", re.ASCII)


def ticks_text(option: str, text: str, tick_ps: int) -> str:
    """("1.5ms", 1) → "1500000000"; ticks stay as they are. Raises UsageError for a time between two ticks, or none."""
    if _TICKS.fullmatch(text):
        return text
    found = _TIME.fullmatch(text.translate(MICRO))
    if found is None:
        units = ", ".join(UNITS_PS)
        raise UsageError(f"{option}: {text[:40]!r} is not a time: give ticks, or a number with a unit ({units})")
    ticks = Fraction(found[1]) * UNITS_PS[found[2]] / tick_ps
    if ticks.denominator != 1:
        raise UsageError(f"{option}: {text} lies between two ticks: one is {tick_ps:,} ps")
    return str(int(ticks))
