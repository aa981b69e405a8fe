"""Manifest of a run: its content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, field

from tilescope.tiler.schema.limits import LIMITS, Limits
from tilescope.tiler.schema.numbers import Count, Decimal, Ticks
from tilescope.tiler.schema.outliers import Outliers


class NameCounts(Struct, frozen=True, kw_only=True):
    """The names of a build, which come in pages."""

    count: Annotated[Count, Meta(description="Name ids are 0 to count - 1.")]
    page_size: Annotated[int, Meta(ge=1, description="Page p has the names from p * page_size on.")]


class OverviewGrid(Struct, frozen=True, kw_only=True):
    """The bins of a build's overview: from tick 0 on, 4**level ticks wide."""

    level: Count
    bins: Count
    bins_per_page: Count
    pages: Count


class EventCounts(Struct, frozen=True, kw_only=True):
    """Events as they are written in the files, see docs/formats.md."""

    total: Decimal
    slices: Decimal
    instants: Decimal
    counter_samples: Decimal
    async_slices: Decimal
    flow_ends: Decimal
    other: Decimal


class FlowCounts(Struct, frozen=True, kw_only=True):
    """Numbers of flow ends by what became of them, see docs/formats.md."""

    edges: Annotated[Decimal, Meta(description="Lead from a slice to a slice.")]
    starts_without_end: Annotated[Decimal, Meta(description="Steps included.")]
    ends_without_start: Decimal
    without_id: Decimal
    without_slice: Annotated[Decimal, Meta(description="Left out: an end lies where its thread has no slice.")]
    derived: Annotated[
        Decimal,
        Meta(description="Not among `edges`: lead from a launch to what it launched, by the correlation of both."),
    ]
    ambiguous: Annotated[
        Decimal, Meta(description="Slices of devices whose correlation several launches have: no edge leads to them.")
    ]
    calls_without_work: Annotated[
        Decimal | None,
        Meta(
            description="Calls with a correlation that are joined to no work of a device: they launch nothing, or it "
            "was not recorded. Not those of `ambiguous` slices. null: there was no room to join by correlation."
        ),
    ]
    work_without_launch: Annotated[
        Decimal | None,
        Meta(
            description="Slices of devices with a correlation that are joined to no launch, `ambiguous` too; or null."
        ),
    ]


class StepCounts(Struct, frozen=True, kw_only=True):
    """The steps that a trace marks, see docs/formats.md."""

    count: Annotated[Decimal, Meta(description="Different numbers.")]
    first: Annotated[Decimal, Meta(description="The least number.")]
    last: Annotated[Decimal, Meta(description="The greatest number.")]
    slices: Annotated[Decimal, Meta(description="That are steps: one for each device or host.")]
    tracks: Annotated[Count, Meta(description="That have such slices.")]
    all: Annotated[bool, Meta(description="false: there are more than are kept.")]


class MissingHost(Struct, frozen=True, kw_only=True):
    """A host of a run of shards that is not there."""

    name: Annotated[str, Meta(description="The host, or the trace file where no host is known.")]
    reason: str


ShiftOrigin = Literal["measured", "by_hand", "own_axis"]


class ClockShift(Struct, frozen=True, kw_only=True):
    """The shift of the clock of a host, or of a rank."""

    host: Annotated[str, Meta(description="Name of the group that is shifted: a host, or a rank of a job.")]
    shift: Annotated[Ticks, Meta(description="Ticks by which all of the host is drawn later; below 0: earlier.")]
    origin: Annotated[
        ShiftOrigin,
        Meta(
            description="Whether it was measured by a tool, or set by hand, or is that of a file with a time axis of "
            "its own, whose times are counted from its first event."
        ),
    ]


class StoredManifest(Struct, frozen=True, kw_only=True):
    """Manifest of a build, as it is stored."""

    build: Annotated[str, Meta(description="Id of the build: everything below it is immutable once it is ready.")]
    state: Annotated[
        Literal["indexing", "ready"],
        Meta(description="indexing: provisional, and parts of the build are not there yet."),
    ]
    revision: Annotated[Count, Meta(description="Grows when the track tree changes; 0 of a build that is ready.")]
    format: Annotated[str, Meta(description="Formats of the files: xspace, trace-event JSON …")]
    tick_ps: Annotated[Literal[1, 1000], Meta(description="Picoseconds of a tick.")]
    origin_ns: Annotated[
        Decimal, Meta(description="Time of tick 0, in nanoseconds; since the epoch, where it is known.")
    ]
    start: Annotated[Ticks, Meta(description="The first tick, always 0.")]
    end: Annotated[Ticks, Meta(description="The last tick of any event.")]
    root_level: Annotated[Count, Meta(description="Level of the tiles that show the whole run.")]
    empty: Annotated[bool, Meta(description="Whether no track has an event.")]
    hosts: Sequence[str]
    files: Annotated[Sequence[str], Meta(description="Names of the trace files, without their folders.")]
    processes: Count
    tracks: Annotated[Count, Meta(description="Track ids are 0 to tracks - 1, rollups included.")]
    blocks: Annotated[Count, Meta(description="Blocks of 32 tracks.")]
    names: NameCounts
    overview: OverviewGrid | UnsetType = UNSET
    events: EventCounts
    flows: FlowCounts
    steps: Annotated[StepCounts | None, Meta(description="null where the trace marks none, or is being indexed.")]
    families: Annotated[
        Sequence[str],
        Meta(
            description="The busiest families of events first: categories, and stems of names without one. At most 16."
        ),
    ] = field(default_factory=list)
    outliers: Annotated[
        Outliers | None, Meta(description="Events that figures leave out; null where there are none.")
    ] = None
    ignored: Annotated[dict[str, Decimal], Meta(description="What was left out of the trace: how often, by reason.")]
    warnings: Sequence[str]
    missing: Annotated[
        Sequence[MissingHost],
        Meta(description="Hosts of a run of shards that are not there: nothing of them is counted anywhere."),
    ] = field(default_factory=list)
    shifts: Annotated[
        Sequence[ClockShift],
        Meta(description="Shifts to add when the run is drawn. All other answers are in the times that were recorded."),
    ] = field(default_factory=list)
    source_bytes: Annotated[Decimal, Meta(description="Size of the trace files.")]
    created_ns: Annotated[Decimal, Meta(description="When it was indexed, in nanoseconds since the epoch.")]


# What is known of a run when all of it is built: while it is indexed, they are of what has been read, or not there.
SETTLED_LAST: Final = frozenset({"empty", "events", "flows", "steps", "families", "outliers", "ignored", "warnings"})


class Manifest(StoredManifest, frozen=True, kw_only=True):
    """Content of a run. Everything else asks for the build that is named here."""

    run: Annotated[str, Meta(description="Id of the run.")]
    name: Annotated[str, Meta(description="Name of the run.")]
    store_bytes: Annotated[Decimal, Meta(description="Size of the store.")]
    limits: Limits


def manifest_of(
    stored: Mapping[str, Any], run: str, name: str, *, is_growing: bool = False, shifts: Sequence[ClockShift] = ()
) -> Manifest:
    """The manifest of a run of that id and name, of what its store says. Raises `ValueError` when it makes no sense."""
    state = "indexing" if is_growing else "ready"
    own = {"run": run, "name": name, "state": state, "limits": LIMITS, **({"shifts": shifts} if shifts else {})}
    return msgspec.convert({**stored, **own}, Manifest)
