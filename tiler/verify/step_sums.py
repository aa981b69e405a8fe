"""Adds up operations in steps a second time, in numpy and Python: what records of these sums are compared with."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.columns import TrackKind
from tilescope.tiler.details.instruction_stats import CATEGORY
from tilescope.tiler.details.typed_stats import Stat
from tilescope.tiler.details.wire import WireDamage
from tilescope.tiler.details.xstat_tables import XStatTables
from tilescope.tiler.device_lines import OP_LINES, STEP_LINES, is_one_of
from tilescope.tiler.records.device.operations import Operations
from tilescope.tiler.records.device.step_sums import MAX_STEPS, MAX_SUMS, StepSums
from tilescope.tiler.records.device.xla_words import ALL_REDUCE_ID, CUSTOM_CALL
from tilescope.tiler.verify.catalogue import Catalogue, TrackEntry
from tilescope.tiler.verify.kind_counts import PlainKindCounts
from tilescope.tiler.verify.leaf_slices import LeafSlices
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]

_HELD: Final = 1 << 62  # where durations are that long together there are no sums


class MarkedSteps:
    """The steps of devices, from the slices of their lines of steps. For one device after the other."""

    def __init__(self, catalogue: Catalogue, slices: LeafSlices) -> None:
        self._catalogue = catalogue
        self._slices = slices
        self._last: tuple[int, Ints] | None = None

    def steps_for(self, track: TrackEntry) -> Ints:
        """Starts and stops of steps for a line of operations, shape (2, n), sharing no time; for other lines none."""
        if not is_one_of(track.name, OP_LINES):
            return np.zeros((2, 0), np.int64)
        if self._last is None or self._last[0] != track.group:
            self._last = track.group, self._read(track.group)
        return self._last[1]

    def _read(self, group: int) -> Ints:
        lines = [
            track
            for track in self._catalogue.tracks
            if track.group == group and track.kind == TrackKind.SLICE and is_one_of(track.name, STEP_LINES)
        ]
        if sum(track.events for track in lines) > MAX_STEPS:
            return np.zeros((2, 0), np.int64)
        steps: list[tuple[int, int]] = []
        for track in lines:
            slices = (
                self._slices.find(track, np.arange(track.events, dtype=np.int64), "steps") if track.events else None
            )
            if slices is not None:
                starts, durations = slices.start.tolist(), slices.duration.tolist()
                steps += [
                    (start, start + duration) for start, duration in zip(starts, durations, strict=True) if duration > 0
                ]
        steps.sort(key=lambda step: (step[0], -step[1]))
        cut = [
            (start, min([stop, *(later for later, _ in steps[following : following + 1])]))
            for following, (start, stop) in enumerate(steps, start=1)
        ]
        return np.array([step for step in cut if step[1] > step[0]], np.int64).reshape(-1, 2).T


class MetadataCategories:
    """Categories of operations by the metadata of a file; each entry is read once."""

    def __init__(self, tables: XStatTables) -> None:
        self._tables = tables
        self._by_entry: dict[int, str] = {}

    def category(self, metadata: int) -> str:
        """The category of a number of metadata; "" where it has none. Raises LookupError, ValueError."""
        if not 0 <= metadata < len(self._tables):
            return ""
        first = int(self._tables.alike[metadata])
        if first not in self._by_entry:
            self._by_entry[first] = self._read(first)
        return self._by_entry[first]

    def _read(self, number: int) -> str:
        try:
            stats: list[Stat] = self._tables.stats_called(CATEGORY, number)
        except WireDamage:
            return ""
        value = stats[-1].value if stats else ""
        return value if isinstance(value, str) else ""


class PlainStepSums:
    """Takes the operations of one track in canonical order, a piece after the other."""

    def __init__(self, steps: Ints, categories: MetadataCategories) -> None:
        self._start, self._stop = steps
        self._categories = categories
        self._places: dict[str, int] = {}  # of the categories of the track
        self._place_of = np.zeros(0, np.int64)  # of each kind
        self._own: dict[tuple[int, ...], int] = defaultdict(int)  # by step and category
        self._reduces: dict[tuple[int, ...], int] = defaultdict(int)  # by step, category and id
        self._pieces = 0  # of operations that are all-reduces
        self._taken = 0
        self._counts = PlainKindCounts(self._start, self._stop)
        self._are_custom: list[bool] = []  # of each kind
        self._running = Windows.from_spans([], [])  # when any event runs

    def add(self, operations: Operations, metadata: Ints, start: Ints, duration: Ints) -> None:
        """Adds operations; `metadata` of all kinds so far, `start` and `duration` of their events, in ticks."""
        self._taken += sum(operations.duration.tolist())
        if not len(self._start):
            return
        more = [self._categories.category(number) for number in metadata[len(self._place_of) :].tolist()]
        places = [self._places.setdefault(category, len(self._places)) for category in more]
        self._place_of = np.concatenate([self._place_of, np.array(places, np.int64)])
        self._are_custom += [category == CUSTOM_CALL for category in more]
        self._counts.add(operations, np.array(self._are_custom, np.bool_), start, duration)
        self._running = self._running.joined(Windows.from_spans(start, start + np.maximum(duration, 0)))
        reduce = operations.number(ALL_REDUCE_ID, np.arange(len(operations)))
        stop = start + np.maximum(duration, 0)
        # The step that each begins in or before, and whether it lies in that as a whole, or before it.
        step = np.searchsorted(self._stop, start, side="right")
        left = step < len(self._start)
        clipped = np.minimum(step, len(self._start) - 1)
        within = left & (start >= self._start[clipped]) & (stop <= self._stop[clipped])
        before = (start < self._start[clipped]) & (stop <= self._start[clipped])
        self._add(operations, reduce, np.flatnonzero(within), step[within], operations.duration[within])
        for place in np.flatnonzero(left & ~within & ~before).tolist():
            begin, end, whole = int(start[place]), int(stop[place]), int(operations.duration[place])
            for step_row in range(int(step[place]), int(np.searchsorted(self._start, end))):
                upto, after = min(int(self._stop[step_row]), end), max(int(self._start[step_row]), begin)
                part = whole * (upto - begin) // (end - begin) - whole * (after - begin) // (end - begin)
                self._add(operations, reduce, *(np.array([value], np.int64) for value in (place, step_row, part)))

    def finish(self) -> StepSums | None:
        """None where they are not stored."""
        too_many = len(self._places) * len(self._start) > MAX_SUMS or self._pieces > MAX_SUMS
        if not len(self._start) or too_many or self._taken >= _HELD:
            return None
        own = _columns({key: ps for key, ps in self._own.items() if ps}, 2)
        categories, reduces = tuple(self._places), _columns(self._reduces, 3)
        at_start, at_stop = (self._running.ticks_before(times) for times in (self._start, self._stop))
        marks = self._start, self._stop, at_start, at_stop
        return StepSums(*marks, categories, *own, *reduces, counts=self._counts.finish())

    def _add(self, operations: Operations, reduce: Ints, which: Ints, step: Ints, ps: Ints) -> None:
        """Adds what steps have of some operations."""
        parent = operations.parent[which]
        inner = parent >= 0
        category = self._place_of[operations.kind[which]]
        for steps, categories, taken in (
            (step, category, ps),
            (step[inner], self._place_of[parent[inner]], -ps[inner]),
        ):
            width = len(self._places)
            pairs, place = np.unique(steps * width + categories, return_inverse=True)
            sums = np.zeros(len(pairs), np.int64)
            np.add.at(sums, place, taken)
            for pair, added in zip(pairs.tolist(), sums.tolist(), strict=True):
                self._own[divmod(pair, width)] += added
        is_reduce = reduce[which] >= 0
        self._pieces += int(is_reduce.sum())
        columns = (column[is_reduce].tolist() for column in (step, category, reduce[which], ps))
        for step_row, category_place, number, added in zip(*columns, strict=True):
            self._reduces[step_row, category_place, number] += added


def _columns(sums: Mapping[tuple[int, ...], int], keys: int) -> list[Ints]:
    """Columns of keys and sums, in the order of the keys."""
    rows = [(*key, ps) for key, ps in sorted(sums.items())]
    return list(np.array(rows, np.int64).reshape(-1, keys + 1).T)
