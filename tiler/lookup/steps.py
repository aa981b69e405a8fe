"""Steps that the tracks of a run mark."""

from __future__ import annotations

from collections.abc import Iterator

from tilescope.tiler.pages import decompress
from tilescope.tiler.records.steps import STEPS, TrackSteps
from tilescope.tiler.store.store import Store


def marked_steps(store: Store) -> Iterator[tuple[int, TrackSteps]]:
    """Track and steps of each record of steps, tracks ascending. Raises DamagedStore."""
    return ((track, TrackSteps.decode(decompress(record), track)) for (track, _), record in store.scan(STEPS))
