"""One event that is to be written."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from tilescope.tiler.export.flow_marks import FlowMark


class EventRow(Struct, frozen=True, gc=False):
    """Times in ticks."""

    ordinal: int
    start: int
    duration: int
    flags: int  # SliceFlag
    value: float  # of a counter sample
    what: str  # members `name` and `cat` as text, each with a comma in front
    raw: bytes  # arguments, as their codec has them
    flows: Sequence[FlowMark]
