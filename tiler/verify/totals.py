"""Compares the events of all tracks with those that the files had, for formats in which each becomes one on a track."""

from __future__ import annotations

from tilescope.tiler.columns import TrackKind
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.verify.catalogue import Catalogue


def check_totals(catalogue: Catalogue) -> None:
    """Raises DamagedStore."""
    if catalogue.format != "xspace":
        return  # begin and end make one slice: docs/formats.md says what becomes of the events of a JSON trace
    for kind, count in (
        (TrackKind.SLICE, catalogue.counts["slices"]),
        (TrackKind.ASYNC, catalogue.counts["async_slices"]),
        (TrackKind.INSTANT, catalogue.counts["instants"]),
        (TrackKind.COUNTER, catalogue.counts["counter_samples"]),
    ):
        found = catalogue.events_of(kind)
        if found != count:
            raise DamagedStore(f"{catalogue.path}: the {kind} tracks have {found} events, the files had {count}")
