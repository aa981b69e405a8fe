"""Shares in percent as people read them."""

from __future__ import annotations


def percent_text(share: float, digits: int = 1) -> str:
    """0.237 → "23.7 %". More than nothing is never "0.0 %", less than all never "100.0 %": "<0.1 %", ">99.9 %"."""
    text, step = f"{100 * share:.{digits}f}", 10.0**-digits
    if 0 < share < 1 and float(text) in (0, 100):
        text = f"<{step:.{digits}f}" if share < 0.5 else f">{100 - step:.{digits}f}"
    return f"{text} %"
