"""What the program does in whole steps, from what is stored of these: no operation is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.facts.operations.counted_track import CountedTrack, summed_columns
from tilescope.tiler.facts.operations.instruction_columns import Exact, InstructionColumns, sums_of_products
from tilescope.tiler.facts.operations.operation import Operation
from tilescope.tiler.facts.operations.records import track_step_sums
from tilescope.tiler.facts.operations.roofline import is_feed, nothing_of_program
from tilescope.tiler.pages.kind_counts import SAID, KindCounts
from tilescope.tiler.pages.operations import OperationKinds
from tilescope.tiler.pages.step_sums import StepSums
from tilescope.tiler.query import QueryReader
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

Key = TypeVar("Key")

# Steps that differ times kinds, 16 MB: steps of real runs are alike.
_MOST_COUNTS: Final = 1 << 21


class CountedSteps:
    """What a track's operations do in the steps of its device."""

    def __init__(self, of: CountedTrack, stored: StepSums, counts: KindCounts, known: InstructionColumns, some: Mask):
        self.of = of
        self.known = known
        self._stored, self._counts = stored, counts
        rows, row_of = _rows(counts, len(stored), len(of.places))
        self.row_of = row_of  # of each step its row of counts
        self.custom = rows[:, of.custom]
        symbol = known.has_symbol[of.places]
        self.seen: Mask = rows[:, symbol].max(axis=1, initial=0) > 0
        self.tells: Mask = rows[:, (known.tells_memory & known.has_symbol & some)[of.places]].max(axis=1, initial=0) > 0
        self.may_tell = bool((known.tells_memory & known.has_symbol & some)[of.places].any())
        done, by_memory = summed_columns(known, some)
        self.by_memory = _sums(rows, by_memory, of.places)
        rows[:, of.custom] = 0
        self.done = _sums(rows, done, of.places)
        feeds = np.array([is_feed(category) for category in stored.categories], np.bool_)
        own = stored.own * (feeds[stored.category] & of.feeds.any())
        self._feeds = np.zeros(len(stored), np.int64)
        np.add.at(self._feeds, stored.step, own)

    def within(self, windows: Windows) -> StepsWithin | None:
        """The steps that windows consist of; None: they cut one, or there are other ticks in them."""
        stored = self._stored
        first, last = np.searchsorted(stored.start, windows.starts), np.searchsorted(stored.stop, windows.stops)
        if not len(windows):
            return StepsWithin(self, np.zeros(0, np.int64))
        if (last >= len(stored)).any() or (first > last).any():
            return None
        if (stored.start[first] != windows.starts).any() or (stored.stop[last] != windows.stops).any():
            return None
        pieces = [np.arange(one, end + 1) for one, end in zip(first.tolist(), last.tolist(), strict=True)]
        steps = np.concatenate(pieces)
        if (stored.stop[steps] - stored.start[steps]).sum() != windows.ticks:
            return None
        return StepsWithin(self, steps)

    def said(self, steps: Ints) -> dict[str, int]:
        """What custom calls say that start in some steps."""
        counts = self._counts
        some = np.isin(counts.said_step, steps) & np.isin(counts.said_kind, self.of.custom)
        found: dict[str, int] = {}
        for what, value in zip(counts.said_what[some].tolist(), counts.said[some].tolist(), strict=True):
            found[SAID[what]] = found.get(SAID[what], 0) + value
        return found

    def feeds(self, steps: Ints) -> int:
        """What feeds take in some steps, ps."""
        return int(self._feeds[steps].sum())


@dataclass(frozen=True, slots=True)
class StepsWithin:
    """Some steps of a track."""

    of: CountedSteps
    steps: Ints

    @property
    def rows(self) -> Ints:
        """How many of them have each row of counts."""
        return np.bincount(self.of.row_of[self.steps], minlength=len(self.of.seen))


def track_steps(reader: QueryReader, of: CountedTrack, known: InstructionColumns, some: Mask) -> CountedSteps | None:
    """Those of a track; None: not all is stored that it takes. Raises DamagedStore."""
    stored = track_step_sums(reader, of.track)
    counts = None if stored is None else stored.counts
    if stored is None or counts is None or OperationKinds.of(of.records.kinds.kinds).stats:
        return None
    if int(max(counts.kind.max(initial=-1), counts.said_kind.max(initial=-1))) >= len(of.places):
        raise DamagedStore(f"track {of.track} has counts of other kinds of operations than it has")
    if (len(np.unique(counts.step)) + 1) * len(of.places) > _MOST_COUNTS:
        return None
    if of.feeds.any():
        # Sums of categories are those of feeds if all that are feeds belong to the program.
        are = known.are(is_feed)[of.places]
        named = {known.categories[at] for at in np.unique(known.category[of.places[are]]).tolist()}
        if (are & ~of.feeds).any() or not named.issubset(stored.categories):
            return None
    return CountedSteps(of, stored, counts, known, some)


def program_of_steps(tracks: Sequence[StepsWithin], span: int) -> Operation | None:
    """The program in some steps of each track, in this time; None: what is stored does not say that any runs there."""
    used = [(one, one.rows) for one in tracks]
    tells = any(one.of.tells[rows > 0].any() for one, rows in used)
    # Operations that begin before such steps may be what is seen of them.
    is_seen = any(one.of.seen[rows > 0].any() for one, rows in used)
    if not is_seen or (not tells and any(one.of.may_tell for one in tracks)):
        return None
    found = nothing_of_program(span - sum(one.of.feeds(one.steps) for one in tracks))
    moved = _added([_taken(one.of.done, rows) for one, rows in used])
    found.flops, found.model_flops, found.bytes = moved["flops"], moved["model_flops"], moved["bytes"]
    for one, rows in used:
        one.of.of.add_custom(found, one.of.known, rows @ one.of.custom, one.of.said(one.steps))
    if tells:
        found.by_memory = _added([_taken(one.of.by_memory, rows) for one, rows in used])
    return found


def _rows(counts: KindCounts, steps: int, kinds: int) -> tuple[Ints, Ints]:
    """How often each kind starts in steps, those that differ, before them a row of zeros; and of each step its row."""
    changed = np.unique(counts.step)
    rows = np.zeros((len(changed) + 1, kinds), np.int64)
    begins = np.searchsorted(counts.step, changed)
    for at, (begin, end) in enumerate(zip(begins, np.append(begins[1:], len(counts.step)), strict=True), start=1):
        rows[at] = rows[at - 1]
        rows[at, counts.kind[begin:end]] = counts.count[begin:end]
    return rows, np.searchsorted(changed, np.arange(steps), side="right")


def _sums(rows: Ints, columns: Mapping[Key, Exact], places: Ints) -> dict[Key, list[int]]:
    """Of each column its sum for each row of counts."""
    return dict(zip(columns, sums_of_products(rows, [of[places] for of in columns.values()]), strict=True))


def _taken(sums: Mapping[Key, list[int]], rows: Ints) -> dict[Key, int]:
    """What so many steps of each row have."""
    return {
        name: sum(value * count for value, count in zip(values, rows.tolist(), strict=True))
        for name, values in sums.items()
    }


def _added(sums: Sequence[Mapping[Key, int]]) -> dict[Key, int]:
    return {name: sum(of[name] for of in sums) for name in sums[0]}
