"""Sums over the events in windows of some tracks, by two groupings at once: exact, as those of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import UsageError
from tilescope.tiler.lookup.histograms import Rename
from tilescope.tiler.pages import Shape, decode_columns
from tilescope.tiler.query import Interruptible, QueryReader, Reading
from tilescope.tiler.records.histogram import BUSY_LIMIT, Histogram, join_rows
from tilescope.tiler.records.span_sums import SpanSums
from tilescope.tiler.records.spread import DurationSpread
from tilescope.tiler.tools.stats.groups import Groups
from tilescope.tiler.tools.stats.summary import GroupSums, arranged_sums, busiest_first, regrouped
from tilescope.tiler.windows import WindowsOf

Ints = NDArray[np.int64]

MAX_PAIRS: Final = 1_000_000

_NUMBER_BITS: Final = 32  # of a group, shifted so that that of events without a name is not below 0
_SHIFT: Final = 2


@dataclass(frozen=True, slots=True)
class Side:
    """One of two groupings. `rename`: what gives slices the numbers of their groups, where no name has them."""

    by: str
    groups: Groups
    rename: Rename | None = None


@dataclass(frozen=True, slots=True)
class PairSums:
    """Sums of each pair of groups that occurs, the busiest first; columns of shape (n,)."""

    sums: GroupSums
    first: Ints  # numbers of groups
    second: Ints
    dtype: type  # of sums of ticks

    def of_first(self) -> GroupSums:
        """Sums of the groups of the first side, the busiest first."""
        return regrouped(self.sums.histogram, self.sums.spread, self.first, self.dtype)


class _PairNumbers:
    """Pairs of groups by number, in the order in which they are found. Several threads may share it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._numbers: dict[int, int] = {}

    def numbers(self, first: Ints, second: Ints) -> Ints:
        """The number of each pair. Raises UsageError where there are too many."""
        pairs = (first.astype(np.int64) + _SHIFT << _NUMBER_BITS) | (second.astype(np.int64) + _SHIFT)
        distinct, inverse = np.unique(pairs, return_inverse=True)
        with self._lock:
            numbers = [self._numbers.setdefault(pair, len(self._numbers)) for pair in distinct.tolist()]
            if len(self._numbers) > MAX_PAIRS:
                raise _too_many()
        return np.array(numbers, np.int64)[inverse]

    def sides(self, numbers: Ints) -> tuple[Ints, Ints]:
        """The groups of pairs, by their numbers."""
        pairs = np.fromiter(self._numbers, np.int64, len(self._numbers))[numbers]
        return (pairs >> _NUMBER_BITS) - _SHIFT, (pairs & (1 << _NUMBER_BITS) - 1) - _SHIFT


def pair_sums(
    reader: QueryReader, windows_of: WindowsOf, tracks: Sequence[int] | None, first: Side, second: Side
) -> Interruptible[PairSums]:
    """Sums up the events of some tracks (None: all) by pairs of groups. Raises as `summary`."""
    leaves = reader.tree.leaves(tracks)
    busy = sum(reader.tree.tracks[track].busy for track in leaves)
    dtype: type = np.int64 if busy < BUSY_LIMIT else object
    sides = first, second
    by_track = [side.groups.of_track for side in sides]
    if all(of_track is None for of_track in by_track):
        pair_numbers = _PairNumbers()
        groups, rename = _of_slices(pair_numbers, sides)
        sums = SpanSums(spread=True)
        yield from Reading(reader).add_windows(sums, leaves, windows_of, rename=rename)
        arranged = arranged_sums(sums, groups, dtype)
        return PairSums(arranged, *pair_numbers.sides(arranged.histogram.name), dtype)
    # Tracks of one group, or of one pair of groups, at a time: the other side is summed up by what is stored of each.
    tracks_of: dict[tuple[int, ...], list[int]] = {}
    for track in leaves:
        key = tuple(of_track(track) for of_track in by_track if of_track is not None)
        tracks_of.setdefault(key, []).append(track)
    parts: list[tuple[tuple[int, ...], GroupSums]] = []
    n_pairs = 0
    other = next((side for side in sides if side.groups.of_track is None), None)
    for key, alike in tracks_of.items():
        sums = SpanSums(spread=True)
        as_name = None if other is not None else (lambda _: 0)
        yield from Reading(reader).add_windows(sums, alike, windows_of, as_name, other.rename if other else None)
        part = arranged_sums(sums, other.groups if other else Groups("", lambda _: []), dtype)
        if len(part):
            parts.append((key, part))
            n_pairs += len(part)
        if n_pairs > MAX_PAIRS:
            raise _too_many()
    return _joined(parts, by_track[0] is not None, dtype)


def _too_many() -> UsageError:
    return UsageError(
        f"then: there are more than {MAX_PAIRS:,} pairs of groups: ask for a shorter span or fewer tracks"
    )


def _joined(parts: Sequence[tuple[tuple[int, ...], GroupSums]], is_first_of_tracks: bool, dtype: type) -> PairSums:
    none = np.zeros(0, np.int64)
    keys = [np.full(len(part), key[0]) for key, part in parts]
    others = [np.full(1, key[1]) if len(key) > 1 else part.histogram.name for key, part in parts]
    track_side, other_side = np.concatenate([none, *keys]), np.concatenate([none, *others])
    histograms = [part.histogram for _, part in parts] or [Histogram(*[none] * len(Histogram.__struct_fields__))]
    rows = join_rows(histograms)
    rows = Histogram(np.arange(len(rows)), *(getattr(rows, column) for column in Histogram.__struct_fields__[1:]))
    spreads = [part.spread for _, part in parts]
    spread = DurationSpread(
        *(np.concatenate([none, *(getattr(s, column) for s in spreads)]) for column in DurationSpread.__struct_fields__)
    )
    sums = busiest_first(rows, spread, dtype)
    place = sums.histogram.name
    first, second = (track_side, other_side) if is_first_of_tracks else (other_side, track_side)
    return PairSums(sums, first[place], second[place], dtype)


def _of_slices(pairs: _PairNumbers, sides: Sequence[Side]) -> tuple[Groups, Rename | None]:
    """Pairs of groups of which a slice is by its name, or by what renames it."""

    def of_side(side: Side, names: Ints) -> Ints:
        groups = side.groups.of_names(names)
        return names if groups is None else groups

    renames = [side.rename for side in sides]
    if renames == [None, None]:
        first_side, second_side = sides

        def pair_of_names(names: Ints) -> Ints:
            return pairs.numbers(of_side(first_side, names), of_side(second_side, names))

        return Groups("", lambda _: [], names=pair_of_names), None

    def rename(content: bytes, shape: Shape, first: int, tiles: Ints) -> NDArray[np.int32]:
        names = decode_columns(content).slices.name.astype(np.int64)
        distinct, inverse = np.unique(names, return_inverse=True)
        pair = [
            of_side(side, distinct)[inverse]
            if side.rename is None
            else side.rename(content, shape, first, tiles).astype(np.int64)
            for side in sides
        ]
        return pairs.numbers(pair[0], pair[1]).astype(np.int32)

    return Groups("", lambda _: []), rename
