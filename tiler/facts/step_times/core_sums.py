"""Time of the operations of a track in each of many windows, by part: exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.errors import UsageError
from tilescope.tiler.facts.operations.track_borders import TrackBorders, track_borders
from tilescope.tiler.facts.operations.track_records import OperationRecords, track_kinds, track_step_sums
from tilescope.tiler.facts.step_times.category_codes import PART_CODES, code_of_category, part_codes
from tilescope.tiler.facts.step_times.parts import TPU_PARTS, StepPart
from tilescope.tiler.pages.columns import Col
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.records.device.operations import CHUNK_OPERATIONS
from tilescope.tiler.records.device.step_sums import StepSums
from tilescope.tiler.store.two_threads import for_each
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]
Codes = NDArray[np.uint8]

_ALL_REDUCE: Final = PART_CODES[StepPart.ALL_REDUCE_COMPUTE]

# Sums of those of a track have to fit into 64 bits.
_MOST_PS: Final = 1 << 62
_TOO_LONG: Final = "the operations of a core take more time together than can be added up: 53 days"


@dataclass(frozen=True, slots=True)
class ReduceSums:
    """Time of each all-reduce in each window: columns (n,), by window, then by id, each pair once."""

    window: Ints
    id: Ints
    ps: Ints

    @classmethod
    def from_unordered(cls, window: Ints, ids: Ints, ps: Ints) -> ReduceSums:
        """Sums of what is not in order yet."""
        order = np.lexsort((ids, window))
        window, ids, ps = window[order], ids[order], ps[order]
        first = np.flatnonzero(np.diff(window, prepend=-1).astype(bool) | (np.diff(ids, prepend=-1) != 0))
        if not len(first):
            return cls(window, ids, ps)
        return cls(window[first], ids[first], np.add.reduceat(ps, first))


@dataclass(frozen=True, slots=True)
class CoreSums:
    """Sums of some windows of a core: `parts` has a row for each, with a column for each of `TPU_PARTS`; ps."""

    parts: Ints
    reduces: ReduceSums

    def scaled(self, whole: Ints) -> CoreSums:
        """The same parts of other times: those of all operations of each window together, ps (n,).

        A part below zero, of operations that take longer than what they lie in, is none.
        """
        own = np.maximum(self.parts, 0)
        sums = own.sum(axis=1)
        whole = np.where(sums, np.maximum(whole, 0), 0)
        parts = _shares(own, whole[:, None], sums[:, None])
        window = self.reduces.window
        ps = _shares(np.minimum(self.reduces.ps, sums[window]), whole[window], sums[window])
        # What rounding leaves belongs to the greatest part.
        parts[np.arange(len(parts)), parts.argmax(axis=1)] += whole - parts.sum(axis=1)
        return CoreSums(parts, ReduceSums(window, self.reduces.id, ps))


def _shares(ps: Ints, whole: Ints, sums: Ints) -> Ints:
    """`ps` of `sums` as parts of `whole`: none is below 0, none beyond its sum."""
    whole, sums = np.broadcast_to(whole, ps.shape), np.broadcast_to(np.maximum(sums, 1), ps.shape)
    shares: Ints = ps * whole // sums
    # Products of more than 64 bits are of long steps, which are few: objects take many times as long.
    is_long = ps > np.iinfo(np.int64).max // np.maximum(whole, 1)
    shares[is_long] = ps[is_long].astype(object) * whole[is_long] // sums[is_long]
    return shares


def core_sums(
    reader: QueryReader, tracks: tuple[int, ...], starts: Ints, stops: Ints, *, has_whole: bool = True
) -> Interruptible[CoreSums]:
    """Sums of operations in windows that ascend and share no time. Raises DamagedStore, NotBuilt.

    An operation that a window cuts takes the part of its duration that the cut leaves of its event, as in `kind_sums`.
    `has_whole`: whether any of the windows may be a whole step, of which sums are stored.
    """
    parts = np.zeros((len(starts), len(TPU_PARTS)), np.int64)
    reduces = [(np.zeros(0, np.int64),) * 3]
    for track in tracks:
        kinds = track_kinds(reader, track)
        if kinds is None:
            continue
        left = stops > starts
        stored = track_step_sums(reader, track) if has_whole else None
        if stored is not None:
            reduces.append(_take_stored(stored, starts, stops, left, parts))
        remaining = np.flatnonzero(left)
        if not len(remaining):
            continue
        borders = yield from track_borders(reader, track, starts[remaining], stops[remaining])
        codes = yield from part_codes(reader, track, kinds)
        first, second = (
            _Summing(OperationRecords(reader, track, kinds), codes, starts[remaining], stops[remaining], borders)
            for _ in range(2)
        )
        yield from for_each(first.met(), lambda number, into: into.add(number), first, second)
        if first.taken + second.taken >= _MOST_PS:
            raise UsageError(_TOO_LONG)
        parts[remaining] += first.parts + second.parts
        reduces += [(remaining[window], ids, ps) for window, ids, ps in first.reduces + second.reduces]
    return CoreSums(
        parts, ReduceSums.from_unordered(*(np.concatenate(column) for column in zip(*reduces, strict=True)))
    )


def _take_stored(
    stored: StepSums, starts: Ints, stops: Ints, left: NDArray[np.bool_], parts: Ints
) -> tuple[Ints, Ints, Ints]:
    """Adds what is stored of windows that are whole steps, which are `left` no more, and returns their all-reduces."""
    window_of = np.full(len(stored), -1, np.int64)
    stored_step = np.minimum(np.searchsorted(stored.start, starts), max(len(stored) - 1, 0))
    stored_windows = (
        np.flatnonzero(left & (stored.start[stored_step] == starts) & (stored.stop[stored_step] == stops))
        if len(stored)
        else stored_step[:0]
    )
    # Of windows that are alike the first.
    stored_windows = stored_windows[np.unique(stored_step[stored_windows], return_index=True)[1]]
    window_of[stored_step[stored_windows]] = stored_windows
    left[stored_windows] = False
    codes = np.array([code_of_category(category) for category in stored.categories], np.int64)
    window = window_of[stored.step]
    in_windows = window >= 0
    np.add.at(parts, (window[in_windows], codes[stored.category[in_windows]]), stored.own[in_windows])
    window = window_of[stored.reduce_step]
    in_windows = (window >= 0) & (codes[stored.reduce_category] == _ALL_REDUCE)
    return window[in_windows], stored.reduce_id[in_windows], stored.reduce_ps[in_windows]


class _Summing:
    """Adds the records of a track to the sums of its core."""

    def __init__(
        self,
        records: OperationRecords,
        codes: Codes,
        starts: Ints,
        stops: Ints,
        borders: TrackBorders,
    ) -> None:
        self._records = records
        self._codes = codes
        self._starts, self._stops = starts, stops
        self._borders = borders
        self._sums = _native.PartSums(codes, len(TPU_PARTS), len(starts), _ALL_REDUCE, Col.ALL_REDUCE)
        self._cut_parts = np.zeros((len(starts), len(TPU_PARTS)), np.int64)
        self._cut_reduces: list[tuple[Ints, Ints, Ints]] = []

    @property
    def parts(self) -> Ints:
        """Time of operations in each window, by part."""
        sums_by_part: Ints = self._sums.sums().reshape(self._cut_parts.shape) + self._cut_parts
        return sums_by_part

    @property
    def reduces(self) -> list[tuple[Ints, Ints, Ints]]:
        """All-reduces: in which windows, their ids, and how long."""
        return [self._sums.listed(), *self._cut_reduces]

    @property
    def taken(self) -> int:
        """Time of all operations that were read."""
        return self._sums.taken()

    def met(self) -> list[int]:
        """The records that have something in the windows."""
        return self._records.met(Windows.from_spans(self._starts, self._stops))

    def add(self, number: int) -> None:
        """Adds what of a record lies in the windows."""
        first = self._records.first(number)
        opened = self._borders.opened.between(first, first + CHUNK_OPERATIONS)
        try:
            operation_columns = self._records.add_to(self._sums, number, self._borders, opened.ordinal)
        except OverflowError:
            raise UsageError(_TOO_LONG) from None
        if len(opened):
            self._add_cut(*operation_columns, opened.start, opened.end)

    def _add_cut(self, kind: Ints, parent: Ints, duration: Ints, ids: Ints, start: Ints, end: Ints) -> None:
        """Adds operations that go on beyond a border."""
        first = np.searchsorted(self._stops, start, side="right")  # the first window that ends after it
        last = np.searchsorted(self._starts, end, side="left") - 1
        cut = np.flatnonzero(last >= first)
        counts = (last - first + 1)[cut]
        cut_rows = np.repeat(cut, counts)
        window = (
            np.arange(len(cut_rows)) - np.repeat(np.cumsum(counts) - counts, counts) + np.repeat(first[cut], counts)
        )
        ps = self._cut(duration[cut_rows], start[cut_rows], end[cut_rows], window)
        code = self._codes[kind[cut_rows]]
        np.add.at(self._cut_parts, (window, code), ps)
        inner = parent[cut_rows] >= 0
        np.subtract.at(self._cut_parts, (window[inner], self._codes[parent[cut_rows][inner]]), ps[inner])
        is_reduce = (code == _ALL_REDUCE) & (ids[cut_rows] >= 0)
        self._cut_reduces.append((window[is_reduce], ids[cut_rows][is_reduce], ps[is_reduce]))

    def _cut(self, duration: Ints, start: Ints, end: Ints, window: Ints) -> Ints:
        """Parts of durations within windows: products have more than 64 bits."""
        begin, length = start.astype(object), (end - start).astype(object)
        parts = duration.astype(object)
        upto, after = np.minimum(self._stops[window], end) - begin, np.maximum(self._starts[window], start) - begin
        parts_within: Ints = (parts * upto // length - parts * after // length).astype(np.int64)
        return parts_within
