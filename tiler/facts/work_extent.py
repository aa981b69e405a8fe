"""From the first work of a device in a span to the end of the last: kept, since several tools ask for the same."""

from __future__ import annotations

from typing import Final

from tilescope.tiler.facts.busy import Busy
from tilescope.tiler.facts.devices import Device
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.windows import Windows

# By tracks and span.
_EXTENTS: Final = KeyedRunCache[tuple[frozenset[int], TickRange], Windows](
    "work_extents", "First and last work of devices in spans"
)


def work_extent(reader: QueryReader, device: Device, span: TickRange) -> Interruptible[Windows]:
    """As `Busy.extent`, of all that a device does. Raises DamagedStore, NotBuilt."""
    key = device.track_ids, TickRange(span.start, min(span.stop, reader.end + 1))  # behind its end is nothing
    extent = _EXTENTS.get(reader, key)
    if extent is None:
        busy = Busy(reader, [*device.tracks, *device.beside])
        extent = _EXTENTS.keep(reader, key, (yield from busy.extent(span)))
    return extent
