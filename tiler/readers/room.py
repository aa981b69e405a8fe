"""How many tracks, processes and names there is room for in the memory that indexing may take.

They stay in memory until a run is published, and unlike events they cannot lie in scratch files. A file of some
megabytes can name millions of each, so they are counted as they are found, and refused before they take too much.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tilescope.tiler.errors import TooMany

# Measured with `tilescope index` on 30,000 and 100,000 lines, and planes, with an event each: what the process takes at
# its peak beyond what it takes anyway, per piece, rounded up for lines with more events (2 kB of bins of activity).
TRACK_BYTES: Final = 6 << 10
PROCESS_BYTES: Final = 4 << 10
NAME_BYTES: Final = 768  # beside its text
NAME_COPIES: Final = 4  # of the text

# Below that much memory even Python and its libraries have no room.
_LEAST_BYTES: Final = 64 << 20


@dataclass(frozen=True, slots=True)
class Room:
    """`memory_bytes` is what indexing may take altogether."""

    memory_bytes: int = 1 << 62

    @property
    def bytes(self) -> int:
        """What tracks, processes and names may take."""
        return max(self.memory_bytes, _LEAST_BYTES)

    def check(self, path: Path | str, tracks: int, processes: int, names: int = 0, text_bytes: int = 0) -> None:
        """Raises `TooMany`. `text_bytes`: of the texts of all names, where they are known."""
        of_names = names * NAME_BYTES + text_bytes * NAME_COPIES
        if tracks * TRACK_BYTES + processes * PROCESS_BYTES + of_names > self.bytes:
            found = ((tracks, "tracks"), (processes, "processes"), (names, "names"))
            raise self.error(path, "has " + " and ".join(f"{count:,} {what}" for count, what in found if count))

    def error(self, path: Path | str, what: str) -> TooMany:
        """For what has too much of something, as `what` says."""
        costs = f"{TRACK_BYTES >> 10} kB a track, {PROCESS_BYTES >> 10} kB a process, 1 kB a name and its text"
        limit = f"more than there is room for in {self.bytes / 1e6:,.0f} MB of memory"
        return TooMany(path, f"{what}, {limit}", advice=f"give more with --memory: {costs}")
