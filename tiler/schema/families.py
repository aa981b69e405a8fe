"""Families of events: what viewers give one hue, and what a manifest names the busiest of."""

from __future__ import annotations

import re
from collections.abc import Iterable

MAX_FAMILIES = 16  # that a manifest names: more hues than people tell apart
FAMILY_NAMES = 4096  # the busiest names, whose families are compared
_MAX_LENGTH = 256  # of what a manifest names

_NUMBER = re.compile(r"[0-9.]+")
_STEM = re.compile(r"[^A-Za-z0-9_]*[A-Za-z_]+(?:[-:/]+[A-Za-z_]+)*")


def family_of(name: str, category: str) -> str:
    """The category of an event, or what names without one have in common.

    `fusion.123` → `fusion`, `jit_step(42)` → `jit_step`, `%add.1 = f32` → `%add`; numbers are one family, `42` → ``.
    """
    if category:
        return category
    if _NUMBER.fullmatch(name):
        return ""
    match = _STEM.match(name)
    return name if match is None else match[0]


def busiest_families(names: Iterable[tuple[str, str, int]]) -> list[str]:
    """At most MAX_FAMILIES, those first whose names have the longest durations: of names, categories and sums."""
    busy: dict[str, int] = {}
    for name, category, ticks in names:
        family = family_of(name, category)
        busy[family] = busy.get(family, 0) + ticks
    candidates = ((family, ticks) for family, ticks in busy.items() if ticks and len(family) <= _MAX_LENGTH)
    ordered = sorted(candidates, key=lambda entry: (-entry[1], entry[0]))
    return [family for family, _ in ordered[:MAX_FAMILIES]]
