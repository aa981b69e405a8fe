"""Times as people write them on a command line: ticks, or a number with a unit."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

from tilescope.tiler.errors import UsageError

_UNITS_PS: Final = {"ps": 1, "ns": 10**3, "us": 10**6, "µs": 10**6, "μs": 10**6, "ms": 10**9, "s": 10**12}
_TIME: Final = re.compile(rf"(-?[0-9]{{1,30}}(?:\.[0-9]{{1,30}})?) ?({'|'.join(_UNITS_PS)})", re.ASCII)


def ticks_text(option: str, text: str, tick_ps: int) -> str:
    """("1.5ms", 1) → "1500000000"; what has no unit stays as it is. Raises UsageError for a time between two ticks."""
    found = _TIME.fullmatch(text)
    if found is None:
        return text
    ticks = Decimal(found[1]) * _UNITS_PS[found[2]] / tick_ps
    if ticks != ticks.to_integral_value():
        raise UsageError(f"{option}: {text} lies between two ticks: one is {tick_ps:,} ps")
    return str(int(ticks))
