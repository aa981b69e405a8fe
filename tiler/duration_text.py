"""Durations as people read them: as the command line prints them, and as notes of tools name them."""

from __future__ import annotations

from typing import Final

_DAY_PS: Final = 86_400 * 10**12
_YEAR_PS: Final = 365 * _DAY_PS + _DAY_PS // 4
_LARGE_UNITS: Final = ((_DAY_PS, "d"), (3_600 * 10**12, "h"))
_MINUTE_PS: Final = 60 * 10**12
_SMALL_UNITS: Final = ((10**12, "s"), (10**9, "ms"), (10**6, "µs"), (10**3, "ns"), (1, "ps"))


def duration_text(ticks: int, tick_ps: int) -> str:
    """The length of a trace: (982734987234, 1) → "982.735 ms", exact integers up to the last division."""
    ps = ticks * tick_ps
    if ps < 0:
        return f"-{duration_text(-ticks, tick_ps)}"
    if ps >= _YEAR_PS:
        return f"{ps / _YEAR_PS:.1f} years"
    for factor, unit in _LARGE_UNITS:
        if ps >= factor:
            return f"{ps / factor:.2f} {unit}"
    if ps >= _MINUTE_PS:
        # Tenths of a second, as on the pages of the viewer: "1 min 38.2 s".
        minutes, tenths = divmod((ps + 5 * 10**10) // 10**11, 600)
        return f"{minutes} min" + (f" {tenths / 10:g} s" if tenths else "")
    for factor, unit in _SMALL_UNITS:
        if ps >= factor:
            return f"{ps / factor:.3f}".rstrip("0").rstrip(".") + f" {unit}"
    return "0 ps"
