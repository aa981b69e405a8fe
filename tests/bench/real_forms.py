"""Forms of real files: how their cells, lines and keys are written, to hold made ones against."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any


def table(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_bytes().decode())))


def pattern(cell: str) -> str:
    """A cell's form: numbers by whether they have decimals, words by that they are words, JSON as such."""
    if cell[:1] in ("[", "{"):
        return type(json.loads(cell)).__name__
    cell = re.sub(r"-?\d+(\.\d+)?(e-?\d+)?", lambda number: "1.1" if number[1] or number[2] else "1", cell)
    return re.sub(r"[A-Za-z_][\w/()<>-]*", "a", cell)


def unlike(made: list[str], seen: list[str]) -> set[str]:
    """Forms of a column's cells that a real file's column does not have; decimals may happen to be whole."""
    real = {pattern(cell) for cell in seen}
    return {pattern(cell) for cell in made} - real - ({"1"} if "1.1" in real else set())


def line_ends(content: bytes) -> set[bytes]:
    return set(re.findall(rb"\r?\n", content))


def fits(own: Any, real: Any) -> bool:
    """True if keys and types are those of a real value; each item of a list is like one of the real list."""
    if isinstance(own, dict):
        return isinstance(real, dict) and own.keys() == real.keys() and all(fits(own[key], real[key]) for key in own)
    if isinstance(own, list):
        return isinstance(real, list) and all(any(fits(item, other) for other in real) for item in own)
    return type(own) is type(real) or (isinstance(own, int | float) and isinstance(real, int | float))
