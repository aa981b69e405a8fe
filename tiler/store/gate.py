"""The gate of a store that grows: which of its records can be read yet."""

from __future__ import annotations

from collections.abc import Callable

from tilescope.tiler.errors import NotBuilt, StoredLast
from tilescope.tiler.pages import TRACKS_PER_BLOCK
from tilescope.tiler.records.record import Available, Record


def is_readable(record: Record, numbers: tuple[int, ...], is_done: Callable[[int], bool]) -> bool:
    """Returns False where there is nothing yet under these first numbers of a key. Raises NotBuilt or StoredLast.

    `is_done` returns True for a block that is complete.
    """
    available = record.available
    if available is Available.AT_ONCE:
        return True
    if available is Available.AT_END or not numbers:
        words = record.describe(*numbers) if len(numbers) == len(record.numbers) else record.doc
        raise StoredLast(f"the run is still being indexed, and stores this last: {words}")
    if available is Available.WITH_BLOCK:
        return is_done(numbers[0])
    if not is_done(numbers[0] // TRACKS_PER_BLOCK):
        raise NotBuilt(f"track {numbers[0]} is not built yet")
    return True
