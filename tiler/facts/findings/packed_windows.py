"""Windows in half the memory: a device of a long run may be idle a million times before all of it has been read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.windows import Windows

_SMALL: Final = 1 << 32


@dataclass(frozen=True, slots=True)
class PackedWindows:
    """Windows as ticks from border to border, of 32 bits each where none needs more."""

    first: int
    steps: NDArray[np.uint32] | NDArray[np.int64]

    @classmethod
    def from_windows(cls, windows: Windows) -> Self:
        """Packs one window or more."""
        steps = np.diff(np.stack([windows.starts, windows.stops], axis=1).ravel())
        return cls(windows.start, steps.astype(np.uint32) if int(steps.max()) < _SMALL else steps)

    def __len__(self) -> int:
        return (len(self.steps) + 1) // 2

    def windows(self) -> Windows:
        """Unpacks them."""
        borders = np.cumsum(np.concatenate([[self.first], self.steps]), dtype=np.int64)
        return Windows(borders[::2].copy(), borders[1::2].copy())
