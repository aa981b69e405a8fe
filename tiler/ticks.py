"""How far a time axis reaches, and what is no time.

`kTimeLimit` of tiler/native/pyramid/geometry.hpp is the same number, as a test sees to.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tilescope.tiler.errors import UsageError
from tilescope.tiler.schema import LIMITS

# All event times of a run lie in [0, TICK_LIMIT): 73 years of nanoseconds, 26 days of picoseconds. Tile indices then
# stay below 2**53, which a double holds exactly. See docs/page-format.md, "Geometry".
TICK_LIMIT: Final = int(LIMITS.end)


def refuse_float(name: str, value: object) -> None:
    """Raises UsageError when a time is a float: the same words wherever one may be given."""
    if isinstance(value, float | np.floating):
        raise UsageError(f"{name}: {value} is a float, which cannot represent every tick: give an integer")
