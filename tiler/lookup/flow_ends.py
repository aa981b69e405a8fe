"""The ends of flows on slices; those of launches that no flow of the file tells are made when they are asked for."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler.lookup.launches import launched_work, launches_from
from tilescope.tiler.lookup.slices import slice_starts
from tilescope.tiler.pages import decompress
from tilescope.tiler.records.flow_ends import FLOW_ENDS, FlowEnds
from tilescope.tiler.records.launches import LAUNCHES, Launches, LaunchWay
from tilescope.tiler.store.store import Store


class EdgeEnds(FlowEnds, frozen=True):
    """Ends of flows, and of launches that none tells."""

    derived: NDArray[np.int64]  # 1: the file has no such flow, both slices have one correlation; else 0


def flow_ends(store: Store, track: int, first: int = 0) -> Iterator[FlowEnds]:
    """The ends of the file's flows on a track by chunks, in order, from the chunk of slice `first` on.

    Raises DamagedStore, StoredLast.
    """
    record = store.at_most(FLOW_ENDS, track, first)
    chunks = store.scan(FLOW_ENDS, track, start=0 if record is None else record[0][1])
    return (FlowEnds.decode(decompress(chunk), track) for _, chunk in chunks)


class SliceEnds(Struct, frozen=True):
    """The first ends of a slice, outgoing before incoming, by time, and how many there are."""

    ends: EdgeEnds
    leaving: int
    arriving: int


def flow_ends_at(store: Store, track: int, ordinal: int) -> EdgeEnds | None:
    """The flow ends of a slice, derived ones among them; None where it has none. Raises DamagedStore, StoredLast."""
    slice_ends = first_ends_at(store, track, ordinal, sys.maxsize)
    return None if slice_ends is None else slice_ends.ends


def first_ends_at(store: Store, track: int, ordinal: int, most: int) -> SliceEnds | None:
    """The same, of derived ones up to `most` of each side. A launch may have 200,000, each on a page to read.

    The first `most` ends of each side are those of all: derived ends of a slice have one time, and stand as they are
    stored. Raises DamagedStore, StoredLast.
    """
    parts: list[EdgeEnds] = []
    counts = np.zeros(2, np.int64)  # that leave, that arrive
    record = store.at_most(FLOW_ENDS, track, ordinal)
    if record is not None:
        ends = FlowEnds.decode(decompress(record[1]), track)
        ends = ends.take(ends.ordinal == ordinal)
        columns = {name: getattr(ends, name) for name in FlowEnds.__struct_fields__}
        parts.append(EdgeEnds(**columns, derived=np.zeros(len(ends), np.int64)))
        counts += [np.count_nonzero(ends.incoming == side) for side in (0, 1)]
    sides = [list(launched_work(store, track, ordinal, ordinal)), []]
    record = store.at_most(LAUNCHES, track, ordinal)
    if record is not None:
        sides[1].append(launches_from(store, *record[0]).of_slice(ordinal))
    for incoming, chunks in enumerate(sides):
        if not chunks:
            continue
        launches = Launches.join(chunks)
        derived = launches.take(launches.way == LaunchWay.CORRELATION)
        counts[incoming] += len(derived)
        parts.append(_ends(store, track, derived.take(slice(0, most)), incoming))
    parts = [part for part in parts if len(part)]
    if not parts:
        return None
    whole = EdgeEnds(*(np.concatenate([getattr(p, name) for p in parts]) for name in EdgeEnds.__struct_fields__))
    leaving, arriving = counts.tolist()
    return SliceEnds(whole.take(np.lexsort((whole.tick, whole.incoming))), leaving, arriving)


def _ends(store: Store, track: int, launches: Launches, incoming: int) -> EdgeEnds:
    """Ends at the starts of both slices of each pair."""
    partner_start, partner_name = np.zeros(len(launches), np.int64), np.zeros(len(launches), np.int64)
    for partner in np.unique(launches.partner_track).tolist():
        which = np.flatnonzero(launches.partner_track == partner)
        partners = slice_starts(store, partner, launches.partner_ordinal[which])
        partner_start[which], partner_name[which] = partners.start, partners.name
    return EdgeEnds(
        launches.ordinal,
        np.full(len(launches), incoming, np.int64),
        slice_starts(store, track, launches.ordinal).start,
        launches.partner_track,
        launches.partner_ordinal,
        partner_start,
        partner_start,
        partner_name,
        np.ones(len(launches), np.int64),
    )
