"""Outliers of a run, events far from all others or impossible: figures leave them out, the timeline shows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import Meta, Struct

from tilescope.tiler.schema.numbers import Count, Decimal, Ticks

# Why an event is an outlier, see docs/formats.md, Outliers.
OutlierReason = Literal["before", "after", "too_long", "overrun"]


class Outlier(Struct, frozen=True, kw_only=True):
    """An event that is apart from all else, or whose times cannot be true."""

    track: Count
    ordinal: Decimal
    name: Annotated[int, Meta(ge=-1, description="Name id, -1 without a name.")]
    start: Ticks
    end: Ticks
    reason: Annotated[
        OutlierReason,
        Meta(
            description="It lies before all else, or after it; lasts far longer than all else; or lasts beyond later "
            "kernels of its stream."
        ),
    ]
    later: Annotated[Decimal, Meta(description="Of an overrun: kernels and copies of the stream that start in it.")] = (
        "0"
    )


class Outliers(Struct, frozen=True, kw_only=True):
    """Events that figures leave out unless they are asked to count them."""

    start: Annotated[Ticks, Meta(description="The start of the first of all other events.")]
    end: Annotated[Ticks, Meta(description="The end of the last of them.")]
    before: Annotated[Decimal, Meta(description="Events that lie before `start`.")]
    after: Annotated[Decimal, Meta(description="Events that lie after `end`.")]
    too_long: Decimal
    overruns: Decimal
    events: Annotated[
        Sequence[Outlier],
        Meta(description="Those that are too long or overrun, all of them; of those before and after some."),
    ]
