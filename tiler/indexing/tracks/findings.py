"""Findings about a run as it is built, of which the manifest is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from tilescope.tiler import schema


class FlowCounts(Struct):
    """Numbers of flow ends by what became of them. `edges` is what is stored, once with each of the two slices."""

    edges: int = 0
    starts_without_end: int = 0
    ends_without_start: int = 0
    without_id: int = 0
    without_slice: int = 0  # edges of which an end lies where its thread has no slice
    derived: int = 0  # edges by correlation, which are stored, too
    ambiguous: int = 0  # slices of devices whose correlation several launches have
    # Slices with a correlation that no work of a device is joined to, without those of ambiguous work; and slices of
    # devices with a correlation that no launch is joined to. None: a file has too many slices to join any.
    calls_without_work: int | None = 0
    work_without_launch: int | None = 0


class StepCounts(Struct, frozen=True):
    """None at all unless something is counted."""

    slices: int = 0  # that are steps
    tracks: int = 0  # that have such
    numbers: int = 0  # different ones
    first: int | None = None  # the least number
    last: int | None = None
    is_cut: bool = False  # whether there are more than are kept


class Findings(Struct):
    """Each recorder adds what it knows, at the end. Until then all is as it is here."""

    flow_counts: FlowCounts = field(default_factory=FlowCounts)
    # By track: how many flows of its file leave, how many arrive.
    flow_ends: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    pair_ends: Mapping[int, tuple[int, int]] = field(default_factory=dict)  # the same of pairs by correlation
    steps: StepCounts = field(default_factory=StepCounts)
    steps_by_track: Mapping[int, int] = field(default_factory=dict)
    operations_by_track: Mapping[int, int] = field(default_factory=dict)
    families: Sequence[str] = ()
    outliers: schema.Outliers | None = None
    warnings: list[str] = field(default_factory=list)
