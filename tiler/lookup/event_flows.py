"""The flows of an event: the slices at their other ends."""

from __future__ import annotations

from collections.abc import Callable

from tilescope.tiler.lookup.flow_ends import EdgeEnds, SliceEnds
from tilescope.tiler.schema import FLOWS_AT_MOST, EventFlows, FlowPartner


def event_flows(slice_ends: SliceEnds | None, name_of: Callable[[int], str]) -> EventFlows:
    """The flows of a slice, by its flow ends; None: it has none; `name_of` gives the text of a name's id."""
    if slice_ends is None:
        return EventFlows(in_=[], in_count="0", out=[], out_count="0")
    ends = slice_ends.ends
    incoming, outgoing = (ends.take(ends.incoming == side) for side in (1, 0))
    return EventFlows(
        in_=_partners(incoming, name_of),
        in_count=str(slice_ends.arriving),
        out=_partners(outgoing, name_of),
        out_count=str(slice_ends.leaving),
    )


def _partners(ends: EdgeEnds, name_of: Callable[[int], str]) -> list[FlowPartner]:
    return [
        FlowPartner(
            track=int(ends.partner_track[k]),
            ordinal=str(int(ends.partner_ordinal[k])),
            name=name_of(int(ends.partner_name[k])),
            start=str(int(ends.partner_start[k])),
            derived=bool(ends.derived[k]),
        )
        for k in range(min(len(ends), FLOWS_AT_MOST))
    ]
