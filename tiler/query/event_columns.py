"""Chosen columns of the events of a plan: nothing else of their pages is decoded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import UsageError
from tilescope.tiler.pages import SliceFlag, decode_columns
from tilescope.tiler.pages.columns import Col
from tilescope.tiler.pages.leaf_parts import leaf_slices
from tilescope.tiler.query.events import EventPlan, Events, LeafRun
from tilescope.tiler.windows import Mask

Ints = NDArray[np.int64]

# Columns of slices by the names that `Events` gives them.
_SLICES: Final = {
    "ordinal": Col.ORDINAL,
    "start": Col.START,
    "duration": Col.DURATION,
    "row": Col.ROW,
    "name": Col.NAME,
    "flags": Col.SLICE_FLAGS,
}

# What tells whether a slice that reaches into a leaf is in the windows, and was not taken with the leaf before.
_PLACES: Final = (Col.START, Col.DURATION, Col.SLICE_FLAGS)


@dataclass(frozen=True, slots=True)
class EventColumns:
    """Events of one track in the order of their ordinals: some of the columns of `Events`, of shape (n,)."""

    track: int
    count: int
    columns: dict[str, NDArray[Any]]

    def __len__(self) -> int:
        return self.count

    def take(self, which: NDArray[np.bool_] | slice) -> EventColumns:
        """Some of them."""
        taken = {name: values[which] for name, values in self.columns.items()}
        return EventColumns(self.track, len(np.arange(self.count)[which]), taken)


def event_columns(
    plan: EventPlan, run: LeafRun, content: bytes, columns: Sequence[str], *, is_counter: bool
) -> EventColumns:
    """The events in the leaves of a run, as `EventPlan.events` has them, from their page, uncompressed.

    Raises UsageError for a column that events do not have, and DamagedStore.
    """
    unknown = [name for name in columns if name not in Events.__slots__[1:]]
    if unknown:
        raise UsageError(f"events have no column {unknown[0]!r}: there are {', '.join(Events.__slots__[1:])}")
    if is_counter:
        samples = plan.samples(run, decode_columns(content))
        return EventColumns(plan.track, len(samples), {name: getattr(samples, name) for name in columns})
    return _Slices(plan, run, content).columns(columns)


def are_within(plan: EventPlan, run: LeafRun) -> Mask:
    """True for leaves of which all slices that start there are in the windows of the plan, and no others."""
    windows, shape, tiles = plan.windows, plan.tiles.shape, run.tiles
    if len(windows) != 1:
        return np.zeros(len(tiles), np.bool_)
    shift = 2 * shape.level[tiles] + 8
    first, stop = shape.index[tiles] << shift, (shape.index[tiles] + 1) << shift
    # What reaches into any but the first leaf of one window was taken with a leaf before it.
    within: Mask = (run.after > 0) & (first >= windows.start) & (stop <= windows.stop)
    return within


class _Slices:
    """The slices in the leaves of a run."""

    def __init__(self, plan: EventPlan, run: LeafRun, content: bytes) -> None:
        self._plan, self._run, self._content = plan, run, content

    def columns(self, columns: Sequence[str]) -> EventColumns:
        """Leaves within the window by their starts alone, what lies at its borders slice by slice."""
        wanted = [_SLICES[name] for name in columns if name in _SLICES] or [Col.SLICE_FLAGS]
        is_within = are_within(self._plan, self._run)
        borders = [0, *(np.flatnonzero(np.diff(is_within)) + 1).tolist(), len(is_within)]
        parts = [
            self._starting(slice(*part), wanted) if is_within[part[0]] else self._meeting(slice(*part), wanted)
            for part in pairwise(borders)
        ]
        joined = parts[0] if len(parts) == 1 else [np.concatenate(pieces) for pieces in zip(*parts, strict=True)]
        by_name = dict(zip((name for name in columns if name in _SLICES), joined, strict=False))
        count = len(joined[0])
        no_value = {"value": np.full(count, np.nan)} if "value" in columns else {}
        return EventColumns(self._plan.track, count, by_name | no_value)

    def _starting(self, part: slice, wanted: Sequence[Col]) -> Sequence[Ints]:
        tiles = self._run.tiles[part]
        return leaf_slices(self._content, self._plan.tiles.shape, self._run.first_of_page, tiles, wanted).columns

    def _meeting(self, part: slice, wanted: Sequence[Col]) -> Sequence[Ints]:
        tiles, shape = self._run.tiles[part], self._plan.tiles.shape
        (start, duration, flags, *values), counts = leaf_slices(
            self._content, shape, self._run.first_of_page, tiles, (*_PLACES, *wanted), reaching=True
        )
        after = np.repeat(self._run.after[part], counts)
        taken_before = ((flags & SliceFlag.REACHES_IN) != 0) & (start < after)
        seen = ~taken_before & self._plan.windows.meet(start, start + duration)
        own = ~int(SliceFlag.REACHES_IN)
        return [(column & own if wanted[k] == Col.SLICE_FLAGS else column)[seen] for k, column in enumerate(values)]
