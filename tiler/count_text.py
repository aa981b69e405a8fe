"""Counts as people read them, alone and with the noun that they count."""

from __future__ import annotations


def count_text(count: int) -> str:
    """1234567 → "1,234,567"."""
    return f"{count:,}"


def plural(count: int, singular: str, many: str) -> str:
    """(1, "host", "hosts") → "1 host", (1200, "host", "hosts") → "1,200 hosts"."""
    return f"{count_text(count)} {singular if count == 1 else many}"
