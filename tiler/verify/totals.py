"""Compares the events of all tracks with those that were counted in the files, as docs/formats.md says."""

from __future__ import annotations

from tilescope.tiler.columns import TrackKind
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.verify.catalogue import Catalogue

# One counter event of a JSON trace may have several series and so become several samples: those are not compared.
_COUNTED = (
    (TrackKind.SLICE, "slices"),
    (TrackKind.ASYNC, "async_slices"),
    (TrackKind.INSTANT, "instants"),
)


def check_totals(catalogue: Catalogue) -> None:
    """Raises DamagedStore."""
    for kind, counted in _COUNTED:
        counted_events, expected = catalogue.events_of(kind), catalogue.counts[counted]
        if counted_events != expected:
            raise DamagedStore(
                f"{catalogue.location}: the {kind} tracks have {counted_events} events, the files had {expected}"
            )
