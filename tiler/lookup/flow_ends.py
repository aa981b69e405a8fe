"""The ends of flows on slices."""

from __future__ import annotations

from collections.abc import Iterator

from tilescope.tiler.pages import decompress
from tilescope.tiler.records.flow_ends import FLOW_ENDS, FlowEnds
from tilescope.tiler.store.store import Store


def flow_ends(store: Store, track: int, first: int = 0) -> Iterator[FlowEnds]:
    """The flow ends of a track by chunks, in order, from the chunk of slice `first` on.

    Raises DamagedStore, StoredLast.
    """
    record = store.at_most(FLOW_ENDS, track, first)
    chunks = store.scan(FLOW_ENDS, track, start=0 if record is None else record[0][1])
    return (FlowEnds.decode(decompress(chunk), track) for _, chunk in chunks)


def flow_ends_at(store: Store, track: int, ordinal: int) -> FlowEnds | None:
    """The flow ends of a slice; None where it has none. Raises DamagedStore, StoredLast."""
    record = store.at_most(FLOW_ENDS, track, ordinal)
    if record is None:
        return None
    ends = FlowEnds.decode(decompress(record[1]), track)
    ends = ends.take(ends.ordinal == ordinal)
    return ends if len(ends) else None
