"""Times as people write and read them on a command line: ticks, or a number with a unit."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from tilescope.tiler.errors import UsageError
from tilescope.tiler.ticks import MICRO, UNITS_PS

if TYPE_CHECKING:
    from tilescope.tiler.schema import RunManifest

_TICKS: Final = re.compile(r"-?[0-9]{1,40}", re.ASCII)
_TIME: Final = re.compile(rf"(-?[0-9]{{1,30}}(?:\.[0-9]{{1,30}})?) ?({'|'.join(UNITS_PS)})", re.ASCII)


def zero_of(manifest: RunManifest) -> int:
    """The tick from which times with a unit count: the origin, or the start of all but outliers, as in the viewer."""
    return int(manifest.outliers.start) if manifest.outliers else 0


def ticks_text(option: str, text: str, tick_ps: int, zero: int = 0) -> str:
    """("1.5ms", 1) → "1500000000"; ticks stay as they are. `zero`: the tick from which a time with a unit counts.

    Raises UsageError for a time between two ticks, or none.
    """
    if _TICKS.fullmatch(text):
        return text
    match = _TIME.fullmatch(text.translate(MICRO))
    if match is None:
        units = ", ".join(UNITS_PS)
        raise UsageError(f"{option}: {text[:40]!r} is not a time: give ticks, or a number with a unit ({units})")
    ticks = Fraction(match[1]) * UNITS_PS[match[2]] / tick_ps
    if ticks.denominator != 1:
        raise UsageError(f"{option}: {text} lies between two ticks: one is {tick_ps:,} ps")
    return str(zero + int(ticks))
