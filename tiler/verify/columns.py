"""Small operations on columns that the checks share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Hashes = NDArray[np.uint64]


def unequal(expected: Ints | NDArray[Any], stored: Ints | NDArray[Any]) -> int | None:
    """First row in which two columns of equal length differ."""
    different = np.flatnonzero(expected != stored)
    return int(different[0]) if len(different) else None


def first_difference(expected: tuple[Ints, ...], stored: tuple[Ints, ...]) -> int | None:
    """The first row in which two groups of columns differ; the end of the shorter one, if that is all."""
    n = min(len(expected[0]), len(stored[0]))
    firsts = [np.flatnonzero(a[:n] != b[:n])[:1] for a, b in zip(expected, stored, strict=True)]
    different = np.concatenate(firsts)
    if len(different):
        return int(different.min())
    return None if len(expected[0]) == len(stored[0]) else n


def hash_rows(columns: list[Ints]) -> Hashes:
    """A number for each row that depends on all its values and their places (splitmix64 over the columns)."""
    out = np.zeros(len(columns[0]), np.uint64)
    for column in columns:
        out = (out ^ column.astype(np.int64).view(np.uint64)) + np.uint64(0x9E3779B97F4A7C15)
        out = (out ^ (out >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        out = (out ^ (out >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        out ^= out >> np.uint64(31)
    return out
