"""Windows with running sums: the ticks before any time, and the long ones, without a look at all of them.

They are made once for each piece of a run; a view asks them at its borders alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]

# Windows with one greatest length: of the others in a piece none is looked at when none of them is long enough.
_BLOCK: Final = 64


@dataclass(frozen=True, slots=True)
class SummedWindows:
    """Windows as `Windows` has them, shape (n,). Make them with `from_windows`."""

    starts: Ints
    before: Ints  # ticks of all windows before each, and of all; shape (n + 1,)
    longest: Ints  # ticks of the longest of each `_BLOCK` windows

    @classmethod
    def from_windows(cls, windows: Windows) -> SummedWindows:
        """The windows with their sums."""
        lengths = windows.stops - windows.starts
        blocks = np.arange(0, len(lengths), _BLOCK)
        longest = np.maximum.reduceat(lengths, blocks) if len(blocks) else lengths
        return cls(windows.starts, np.append(0, np.cumsum(lengths)), longest)

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def stop(self) -> int:
        """First tick after all; 0 without windows."""
        return int(self.starts[-1] + self.before[-1] - self.before[-2]) if len(self) else 0

    def count_before(self, times: Ints) -> Ints:
        """Number of windows that start before each of these times."""
        return np.searchsorted(self.starts, times)

    def ticks_before(self, times: Ints) -> Ints:
        """Number of the windows' ticks before each of these times."""
        if not len(self):
            return np.zeros(len(times), np.int64)
        count = self.count_before(times)
        last = np.maximum(count - 1, 0)
        stops = self.starts[last] + self.before[last + 1] - self.before[last]
        beyond: Ints = np.where(count > 0, np.maximum(stops - times, 0), 0)
        return self.before[count] - beyond

    def at_least(self, width: int) -> Windows:
        """The windows of so many ticks or more."""
        blocks = np.flatnonzero(self.longest >= width)
        places = (blocks[:, None] * _BLOCK + np.arange(_BLOCK)).ravel()
        places = places[places < len(self)]
        lengths = self.before[places + 1] - self.before[places]
        is_wide = lengths >= width
        starts = self.starts[places[is_wide]]
        return Windows(starts, starts + lengths[is_wide])
