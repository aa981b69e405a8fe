"""Sizes, and numbers with a prefix, as people read them."""

from __future__ import annotations

from typing import Final

_SIZE_UNITS: Final = ("B", "kB", "MB", "GB", "TB", "PB")
_SI_PREFIXES: Final = tuple((1000 ** (6 - k), prefix) for k, prefix in enumerate("EPTGMk"))


def size_text(size_bytes: int) -> str:
    """Decimal units, three digits: 386123456 → "386 MB", 1500 → "1.50 kB"."""
    value = float(size_bytes)
    for unit in _SIZE_UNITS:
        if value < 999.5 or unit == _SIZE_UNITS[-1]:
            break
        value /= 1000
    return f"{size_bytes} B" if unit == "B" else f"{three_digits(value)} {unit}"


def si_text(value: float) -> str:
    """Three digits: 2345678 → "2.35 M", 42 → "42", 0.1234 → "0.123"; exact below 1,000 where it is an integer."""
    for factor, prefix in _SI_PREFIXES:
        if abs(value) >= 0.9995 * factor:
            return f"{three_digits(value / factor)} {prefix}"
    return f"{value:.3g}" if value != int(value) else str(int(value))


def three_digits(value: float) -> str:
    """1.5 → "1.50", 12.34 → "12.3", 386.1 → "386"."""
    return f"{value:.2f}" if value < 9.995 else f"{value:.1f}" if value < 99.95 else f"{value:.0f}"
