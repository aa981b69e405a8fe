"""Numbers as people read them. One function per kind of number: value → text."""

from __future__ import annotations

from tilescope.tiler.size_text import three_digits


def shortened(text: str, characters: int) -> str:
    """("abcdef", 4) → "abc…"."""
    return text if len(text) <= characters else text[: characters - 1] + "…"


def rate_text(events: int, seconds: float) -> str:
    """(1250000, 0.5) → "2.50 M/s"."""
    per_second = events / seconds if seconds > 0 else 0.0
    for factor, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if per_second >= 0.9995 * factor:
            return f"{three_digits(per_second / factor)} {unit}/s"
    return f"{per_second:.0f} /s"


def seconds_text(seconds: float) -> str:
    """0.42 → "0.42 s", 75 → "1:15 min", 4000 → "1:06 h"."""
    if seconds < 10:
        return f"{seconds:.2f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02} min"
    return f"{whole // 3600}:{whole % 3600 // 60:02} h"
