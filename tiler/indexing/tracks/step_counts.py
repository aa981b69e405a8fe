"""Counts of the steps of a run, for the manifest."""

from __future__ import annotations

from msgspec import Struct


class StepCounts(Struct, frozen=True):
    """None at all unless something is counted."""

    slices: int = 0  # that are steps
    tracks: int = 0  # that have such
    numbers: int = 0  # different ones
    first: int | None = None  # the least number
    last: int | None = None
    is_cut: bool = False  # whether there are more than are kept
