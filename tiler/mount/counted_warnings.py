"""Warnings of shards: those that say the same of different counts are one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

_COUNTED: Final = re.compile(r"(\d{1,3}(?:,\d{3})*) (.+)")


def counted_warnings(warnings: Iterable[tuple[str, str]]) -> list[str]:
    """Lines of all shards, given as title and warning: "3 slices have no end" and "4 slices …" are "7 slices …".

    A line that begins with no number names its shard.
    """
    counts: Counter[str] = Counter()
    lines: dict[str, None] = {}
    for title, warning in warnings:
        match = _COUNTED.fullmatch(warning)
        if match:
            counts[match[2]] += int(match[1].replace(",", ""))
        else:
            lines[warning if warning.startswith(f"{title}: ") else f"{title}: {warning}"] = None
    return [*lines, *(f"{count:,} {text}" for text, count in counts.items())]
