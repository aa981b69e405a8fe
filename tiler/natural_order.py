"""The order in which people number things: `TPU:2` before `TPU:10`."""

from __future__ import annotations

import re


def natural_key(text: str) -> list[tuple[int, str]]:
    """Sorts texts by it. Numbers of any length: their digits are compared, not their values."""
    return [_number(part) if part.isdecimal() else (-1, part) for part in re.split(r"([0-9]+)", text)]


def _number(digits: str) -> tuple[int, str]:
    significant = digits.lstrip("0")
    return len(significant), significant
