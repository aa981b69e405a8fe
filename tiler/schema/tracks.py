"""The track tree: groups and tracks in screen order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from tilescope.tiler.schema.numbers import Count, Decimal, Ticks, TickSum

GroupKind = Literal["run", "host", "process"]
TrackKind = Literal["slice", "async", "instant", "counter", "rollup"]


class Group(Struct, frozen=True, kw_only=True):
    """A process, a host, or all hosts."""

    id: Count
    parent: Annotated[Count | None, Meta(description="The group around it.")]
    kind: GroupKind
    name: str
    detail: str
    rollup: Annotated[Count | None, Meta(description="The track that sums up all slices below the group.")]
    missing: Annotated[
        str | UnsetType, Meta(description="Reason for which a host of a run of shards is not there, and has no tracks.")
    ] = UNSET


class Track(Struct, frozen=True, kw_only=True):
    """One track. Tracks stand by id: first all but rollups in screen order, then the rollups."""

    id: Count
    group: Count
    kind: TrackKind
    name: str
    detail: str
    rows: Annotated[Count, Meta(description="Depth of nesting.")]
    events: Annotated[Decimal, Meta(description="A track with 0 events has no tiles.")]
    busy: Annotated[TickSum | UnsetType, Meta(description="Sum of the durations.")] = UNSET
    first: Annotated[
        Ticks | UnsetType, Meta(description="Start of its first event. Absent without events, and while it is built.")
    ] = UNSET
    last: Annotated[Ticks | UnsetType, Meta(description="End of the event that ends last.")] = UNSET
    frames: Annotated[
        bool | UnsetType,
        Meta(description="true: steps and modules of a device, which name no bin of a rollup that others are in."),
    ] = UNSET
    lanes: Annotated[Count | UnsetType, Meta(description="Rollups: rows of all their tracks together.")] = UNSET
    min: Annotated[float | UnsetType | None, Meta(description="Counters: the least value.")] = UNSET
    max: Annotated[float | UnsetType | None, Meta(description="Counters: the greatest value.")] = UNSET


# What is counted when a track is built. Until then they are of what has been read, or not there.
TRACK_FIGURES: Final = frozenset({"rows", "events", "busy", "first", "last", "lanes", "min", "max"})


class TrackTree(Struct, frozen=True, kw_only=True):
    """The track tree of a build. Groups form a tree through `parent`."""

    groups: Sequence[Group]
    tracks: Sequence[Track]
