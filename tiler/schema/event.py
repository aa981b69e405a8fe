"""Events: one with everything that is known of it, or those of a span as columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

from tilescope.tiler.schema.numbers import Count, Decimal, Ticks

# Partners that an event lists in each direction; the counts are of all.
FLOWS_AT_MOST = 100


class FlowPartner(Struct, frozen=True, kw_only=True):
    """The slice at the other end of a flow."""

    track: Count
    ordinal: Decimal
    name: str
    start: Ticks
    derived: Annotated[
        bool, Meta(description="No flow of the file leads there: both slices have the same correlation.")
    ]


_Partners = Annotated[Sequence[FlowPartner], Meta(max_length=FLOWS_AT_MOST)]


class EventFlows(Struct, frozen=True, kw_only=True):
    """Slices from which flows arrive and to which they leave, in the order of the flows; the counts are of all."""

    in_: _Partners = field(name="in")
    in_count: Decimal
    out: _Partners
    out_count: Decimal


class Argument(Struct, frozen=True, kw_only=True):
    """An argument of an event, as its file has it."""

    name: str
    value: Annotated[Any, Meta(description="Any JSON value; integers beyond 2**53 - 1 are decimal text.")]


class CallStack(Struct, frozen=True, kw_only=True):
    """A call stack that an argument of an event refers to."""

    argument: Annotated[str, Meta(description="`sf`: where the event begins; `esf`: where it ends.")]
    frames: Annotated[Sequence[str], Meta(description="Names, the outermost frame first.")]


class EventDetails(Struct, frozen=True, kw_only=True):
    """One event with all its arguments."""

    track: Count
    ordinal: Annotated[Decimal, Meta(description="Rank of the event on its track.")]
    kind: Literal["slice", "async", "instant", "counter"]
    name: str
    category: str
    start: Ticks
    duration: Ticks
    row: Annotated[Count, Meta(description="Depth at which it is drawn.")]
    flags: Annotated[Sequence[str], Meta(description="Those of its slice flags that hold, by name.")]
    value: Annotated[float | None, Meta(description="Counter samples: the value.")]
    flows: Annotated[EventFlows | None, Meta(description="null while the run is indexed: flows are stored last.")]
    args: Annotated[Sequence[Argument], Meta(description="In the order of the file, with its repetitions.")]
    stacks: Annotated[Sequence[CallStack], Meta(description="Of arguments that refer to the file's `stackFrames`.")]


class EventColumns(Struct, frozen=True, kw_only=True):
    """Columns of equal length."""

    track: Sequence[Count]
    ordinal: Sequence[Decimal]
    name_id: Annotated[Sequence[int], Meta(description="-1 is no name.")]
    start: Sequence[Ticks]
    duration: Sequence[Ticks]
    row: Sequence[Count]
    open: Annotated[Sequence[bool], Meta(description="Whether the trace ended before the event did.")]
    flags: Annotated[Sequence[Count], Meta(description="Sums of slice flags, see docs/page-format.md.")]
    value: Annotated[Sequence[float | None], Meta(description="Counter samples: the value.")]


class Events(Struct, frozen=True, kw_only=True):
    """The events of a span by track and ordinal, those that started before it included."""

    columns: EventColumns
    names: Annotated[dict[str, tuple[str, str]], Meta(description="Name and category of every name id of this answer.")]
    after: Annotated[str | None, Meta(description="What `after` has to be for the events that follow.")]
