"""Compares what tiles hold with what they should hold, and says which tile differs first, and how."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import BINS_PER_TILE
from tilescope.tiler.verify.bin_table import BinSums
from tilescope.tiler.verify.columns import Ints

# Makes the error for a tile: (slot, tile index, what is wrong).
TileError = Callable[[int, int, str], DamagedStore]

_BIN_VALUES = ("count", "busy", "name", "share", "longest")


def compare_bins(expected: BinSums, found: BinSums, rows: int, error: TileError) -> None:
    """Raises DamagedStore at the first difference. Lanes are `slot * rows + row`."""
    k = first_difference((expected.lane, expected.bin), (found.lane, found.bin))
    if k is not None:
        here = [(int(sums.lane[k]), int(sums.bin[k])) for sums in (expected, found) if k < len(sums)]
        lane, bin = min(here)
        is_expected = k < len(expected) and (int(expected.lane[k]), int(expected.bin[k])) == (lane, bin)
        what = "is missing" if is_expected else "should not be there: no slice of its row is in it"
        raise _bin_error(lane, bin, what, rows, error)
    for column in _BIN_VALUES:
        should, is_ = getattr(expected, column), getattr(found, column)
        different = np.flatnonzero(should != is_)
        if len(different):
            k = int(different[0])
            what = f"{column} is {is_[k]}, from the events it is {should[k]}"
            raise _bin_error(int(found.lane[k]), int(found.bin[k]), what, rows, error)


def first_difference(expected: tuple[Ints, ...], found: tuple[Ints, ...]) -> int | None:
    """The first row in which two groups of columns differ; the end of the shorter one, if that is all."""
    n = min(len(expected[0]), len(found[0]))
    firsts = [np.flatnonzero(a[:n] != b[:n])[:1] for a, b in zip(expected, found, strict=True)]
    different = np.concatenate(firsts)
    if len(different):
        return int(different.min())
    return None if len(expected[0]) == len(found[0]) else n


def _bin_error(lane: int, bin: int, what: str, rows: int, error: TileError) -> DamagedStore:
    slot, row = divmod(lane, rows)
    tile, place = divmod(bin, BINS_PER_TILE)
    return error(slot, tile, f"row {row}, bin {place}: {what}")
