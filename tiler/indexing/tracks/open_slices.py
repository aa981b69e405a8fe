"""Slices of a track that are open at once: they are in memory together, and refused when they are too many."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tilescope.tiler import _native
from tilescope.tiler.readers.memory_budget import OPEN_SLICE_BYTES, Room

# With so many rows, it is rows that a track's tiles take memory for. No profiler nests so deep: with fewer, tiles and
# bins are in proportion to the events, which are never refused.
MANY_ROWS: Final = 1 << 16

# Of the memory. Columns of tracks with many rows lie in scratch files meanwhile.
_SHARE: Final = 0.6


class OpenSlices:
    """Shared by all tracks of a build."""

    def __init__(self, room: Room) -> None:
        self.budget = _native.MemoryBudget(int(room.bytes * _SHARE))
        self._room = room
        self._refused = False

    def budget_for(self, rows: int) -> _native.MemoryBudget | None:
        """Budget that counts the tiles of a track with so many rows; None: they are not counted."""
        return self.budget if rows > MANY_ROWS else None

    def check(self, path: Path, what: str, rows: int) -> None:
        """Raises TooMany for more rows than there is room for, whatever is in them."""
        if rows * OPEN_SLICE_BYTES > self._room.bytes:
            raise self._room.error(path, f"{what} has {rows:,} slices open at once")

    @contextmanager
    def counted(self, path: Path, what: str) -> Iterator[None]:
        """Raises TooMany when the budget is too small for something in the block. `what` it is, as "track ops"."""
        try:
            yield
        except MemoryError as error:
            self._refused = self._refused or self.budget.refused() > 0  # by this thread, or by one that ends with it
            if not self._refused:
                raise
            raise self._room.error(path, f"{what} has too many slices at one time") from error
