"""Small operations on columns that the checks share. Everything is int64."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


def ranges(starts: Ints, lengths: Ints) -> Ints:
    """The integers starts[0], starts[0] + 1, … (lengths[0] of them), then those of the next range, and so on."""
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(int(lengths.sum()), dtype=np.int64)


def order_of(*keys: tuple[Ints, int]) -> Ints:
    """Positions in ascending order of the keys, the most important first, each with the number of its possible values.

    All values lie in [0, number).
    """
    bits = [max(1, (number - 1).bit_length()) for _, number in keys]
    if sum(bits) > 63:
        return np.lexsort([values for values, _ in reversed(keys)])
    packed = keys[0][0]
    for (values, _), width in zip(keys[1:], bits[1:], strict=True):
        packed = (packed << width) | values
    return np.argsort(packed, kind="stable" if _nearly_sorted(packed) else None)


def changes(*columns: Ints) -> Ints:
    """Positions at which a run of equal rows begins."""
    if not len(columns[0]):
        return np.zeros(0, np.int64)
    new = np.ones(len(columns[0]), np.bool_)
    new[1:] = False
    for column in columns:
        new[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(new)


def unequal(expected: Ints | NDArray[Any], found: Ints | NDArray[Any]) -> int | None:
    """Where two columns of equal length differ first."""
    different = np.flatnonzero(expected != found)
    return int(different[0]) if len(different) else None


def share_of(part: Ints, total: Ints) -> Ints:
    """`floor(255 * part / total)`, exact for any int64."""
    share = 255 * part // np.maximum(total, 1)
    for k in np.flatnonzero(total >= 1 << 55):  # 255 times as much does not fit
        share[k] = 255 * int(part[k]) // int(total[k])
    return share


def exact_sum(values: Ints) -> int:
    """The sum as a Python integer: that of int64 could overflow."""
    return (int((values >> 32).sum()) << 32) + int((values & 0xFFFF_FFFF).sum())


def _nearly_sorted(values: Ints) -> bool:
    """Whether a merge of long runs is cheaper than a sort."""
    return int(np.count_nonzero(values[1:] < values[:-1])) * 1000 < len(values)
