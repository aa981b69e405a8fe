"""Exact sums of figures by group, of any size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.cell_figures import Figures
from tilescope.tiler.facts.tables import Ints

_LOW: Final = 0xFFFFFFFF


class WideSums(NamedTuple):
    """Exact sums of any size: high * 2^32 + low."""

    high: Ints
    low: Ints

    @classmethod
    def from_groups(cls, figures: Figures, groups: Ints, count: int) -> WideSums:
        """The sum of each of so many groups; a masked figure counts as nothing."""
        values = figures.filled(0)
        return cls(values >> 32, values & _LOW).regrouped(groups, count)

    @classmethod
    def nothing(cls) -> WideSums:
        """No sums."""
        return cls(np.zeros(0, np.int64), np.zeros(0, np.int64))

    @classmethod
    def joined(cls, parts: Sequence[WideSums]) -> WideSums:
        """The sums of all parts, at least one, one part after the other."""
        return cls(np.concatenate([part.high for part in parts]), np.concatenate([part.low for part in parts]))

    def regrouped(self, groups: Ints, count: int) -> WideSums:
        """Sums of these sums, by group."""
        high, low = np.zeros(count, np.int64), np.zeros(count, np.int64)
        np.add.at(low, groups, self.low)
        np.add.at(high, groups, self.high)
        return WideSums(high + (low >> 32), low & _LOW)

    def plus(self, other: WideSums) -> WideSums:
        """Each of these and of as many others, added."""
        low = self.low + other.low
        return WideSums(self.high + other.high + (low >> 32), low & _LOW)

    def take(self, which: Ints | NDArray[np.bool_]) -> WideSums:
        """Some of them."""
        return WideSums(self.high[which], self.low[which])

    def doubles(self) -> NDArray[np.float64]:
        """Near them, to sort by."""
        return self.high.astype(np.float64) * (1 << 32) + self.low

    def integers(self) -> list[int]:
        """The sums themselves."""
        return [(high << 32) + low for high, low in zip(self.high.tolist(), self.low.tolist(), strict=True)]


def counts_of(groups: Ints, which: NDArray[np.bool_], count: int) -> Ints:
    """The rows of each of so many groups that are marked."""
    return np.bincount(groups[which], minlength=count).astype(np.int64)
