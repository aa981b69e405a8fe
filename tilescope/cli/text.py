"""Numbers as people read them. One function per kind of number: value → text."""

from __future__ import annotations

_SIZE_UNITS = ("B", "kB", "MB", "GB", "TB", "PB")
_SI_PREFIXES = tuple((1000 ** (6 - k), prefix) for k, prefix in enumerate("EPTGMk"))


def shortened(text: str, characters: int) -> str:
    """("abcdef", 4) → "abc…"."""
    return text if len(text) <= characters else text[: characters - 1] + "…"


def size_text(size_bytes: int) -> str:
    """Decimal units, three digits: 386123456 → "386 MB", 1500 → "1.50 kB"."""
    value = float(size_bytes)
    for unit in _SIZE_UNITS:
        if value < 999.5 or unit == _SIZE_UNITS[-1]:
            break
        value /= 1000
    return f"{size_bytes} B" if unit == "B" else f"{_three_digits(value)} {unit}"


def si_text(value: float) -> str:
    """Three digits: 2345678 → "2.35 M", 42 → "42", 0.1234 → "0.123"; exact below 1,000 where it is an integer."""
    for factor, prefix in _SI_PREFIXES:
        if abs(value) >= 0.9995 * factor:
            return f"{_three_digits(value / factor)} {prefix}"
    return f"{value:.3g}" if value != int(value) else str(int(value))


def rate_text(events: int, seconds: float) -> str:
    """(1250000, 0.5) → "2.50 M/s"."""
    per_second = events / seconds if seconds > 0 else 0.0
    for factor, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if per_second >= 0.9995 * factor:
            return f"{_three_digits(per_second / factor)} {unit}/s"
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


def _three_digits(value: float) -> str:
    return f"{value:.2f}" if value < 9.995 else f"{value:.1f}" if value < 99.95 else f"{value:.0f}"
