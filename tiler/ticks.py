"""How far a time axis reaches: `kTimeLimit` of tiler/native/geometry.hpp is the same number, as a test sees to."""

from __future__ import annotations

from typing import Final

# All event times of a run lie in [0, TICK_LIMIT): 73 years of nanoseconds, 26 days of picoseconds. Tile indices then
# stay below 2**53, which a double holds exactly. See docs/page-format.md, "Geometry".
TICK_LIMIT: Final = 1 << 61
