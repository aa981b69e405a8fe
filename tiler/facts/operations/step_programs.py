"""What the program does in whole steps, from what is stored of these: no operation is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.facts.operations.exact_columns import Exact, products, sum_of, sums_of_products
from tilescope.tiler.facts.operations.instruction_metadata import InstructionColumns
from tilescope.tiler.facts.operations.kind_sums import CutParts
from tilescope.tiler.facts.operations.operation import Operation
from tilescope.tiler.facts.operations.rates import is_control, is_feed, nothing_of_program
from tilescope.tiler.facts.operations.track_records import OperationRecords, track_step_sums
from tilescope.tiler.query import QueryReader
from tilescope.tiler.records.device.kind_counts import SAID, KindCounts
from tilescope.tiler.records.device.operations import OperationKinds
from tilescope.tiler.records.device.step_sums import StepSums
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class CountedTrack:
    """A line of operations of a core."""

    track: int
    records: OperationRecords
    places: Ints
    feeds: Mask  # those that do not belong to the program, nor does their time
    custom: Ints  # kinds of custom calls: what these say themselves goes before what their instructions say
    counted: Ints  # where each kind is counted: custom calls of each track by themselves
    first_custom: int  # the first place where any of these are

    def of_custom(self, counts: Ints) -> Ints:
        """The counts of custom calls."""
        return counts[self.first_custom : self.first_custom + len(self.custom)]

    def add_custom(
        self, found: Operation, known: InstructionColumns, uncut: Ints, cut: CutParts, said: dict[str, int]
    ) -> None:
        """Adds custom calls of the track: what they say themselves goes before what their instructions say.

        `uncut`: of each of `custom` how many start and are not cut; `cut`: parts of all kinds.
        """
        if not len(self.custom):
            return
        some = cut.take(np.isin(cut.kind, self.custom))

        def total(column: Exact) -> int:
            of_kind = column[self.places]
            return sum_of(products(of_kind[self.custom], uncut)) + sum(some.parts(of_kind))

        flops = said.get("flops")
        found.flops += total(known.flops) if flops is None else flops
        model_flops = said.get("model_flops", flops)
        found.model_flops += total(known.model_flops) if model_flops is None else model_flops
        moved = said.get("bytes_accessed")
        found.bytes += total(known.bytes) if moved is None else moved


def of_program(known: InstructionColumns, *, with_feeds: bool) -> Mask:
    """The instructions whose FLOPs and bytes are those of the program."""
    some: Mask = known.has_symbol & ~known.are(is_control)
    return some if with_feeds else some & ~known.are(is_feed)


def summed_columns(known: InstructionColumns, some: Mask) -> tuple[dict[str, Exact], dict[tuple[int, bool], Exact]]:
    """What some instructions compute and move, 0 of others; and what of that each memory has."""
    moved = {"flops": known.flops, "model_flops": known.model_flops, "bytes": known.bytes}
    return (
        {name: np.where(some, of, 0) for name, of in moved.items()},
        {name: np.where(some, of, 0) for name, of in known.traffic.items()},
    )


Key = TypeVar("Key")

# Steps that differ times kinds, 16 MB: steps of real runs are alike.
_MOST_COUNTS: Final = 1 << 21


class ProgramColumns:
    """What is known of instructions of the program, and of no others."""

    def __init__(self, known: InstructionColumns, some: Mask) -> None:
        """`some`: those whose FLOPs and bytes are those of the program."""
        self.known = known
        self.tells = known.tells_memory & known.has_symbol & some
        self.done, self.by_memory = summed_columns(known, some)


class CountRows:
    """How often kinds start in steps, a row for each that differs from the one before; and what they do then."""

    def __init__(self, of: CountedTrack, counts: KindCounts, columns: ProgramColumns) -> None:
        self.counts, self.places, self.custom = counts, of.places, of.custom
        changed = np.unique(counts.step)
        rows = np.zeros((len(changed) + 1, len(of.places)), np.int64)  # the first is of nothing
        begins = np.searchsorted(counts.step, changed)
        for at, (begin, end) in enumerate(zip(begins, np.append(begins[1:], len(counts.step)), strict=True), start=1):
            rows[at] = rows[at - 1]
            rows[at, counts.kind[begin:end]] = counts.count[begin:end]
        self.changed = changed
        self.of_custom = rows[:, of.custom]
        tells = columns.tells[of.places]
        self.seen: Mask = ((rows > 0) & columns.known.has_symbol[of.places]).max(axis=1, initial=False)
        self.tells: Mask = ((rows > 0) & tells).max(axis=1, initial=False)
        self.may_tell = bool(tells.any())
        self.by_memory = _sums(rows, columns.by_memory, of.places)
        rows[:, of.custom] = 0
        self.done = _sums(rows, columns.done, of.places)
        # Of operations that steps cut, what a step has; beside what is counted of those that start there.
        self.cut = CutParts(counts.cut_kind, counts.cut_first, counts.cut_last, counts.cut_length)
        self.cut_starts: Mask = counts.cut_first == 0
        self.cut_done = self._more(columns.done, ~np.isin(self.cut.kind, of.custom))
        self.cut_by_memory = self._more(columns.by_memory, np.ones(len(self.cut), np.bool_))

    def _more(self, columns: Mapping[Key, Exact], some: Mask) -> dict[Key, Exact]:
        """Of each column what each part adds to what is counted."""
        found: dict[Key, Exact] = {}
        for key, column in columns.items():
            done = column[self.places]
            counted = np.where(self.cut_starts, done[self.cut.kind], 0)
            found[key] = np.where(some, np.array(self.cut.parts(done), object) - counted, 0)
        return found

    def cut_in(self, steps: Ints) -> Mask:
        """Which parts are those of some steps."""
        found: Mask = np.isin(self.counts.cut_step, steps)
        return found

    def are_of(self, of: CountedTrack, counts: KindCounts) -> bool:
        """Whether another track, of the same instructions, has the same counts: as a rule all cores have."""
        pairs = ((of.places, self.places), (of.custom, self.custom), (counts.step, self.counts.step))
        names = ("kind", "count", "cut_step", "cut_kind", "cut_first", "cut_last", "cut_length")
        more = ((getattr(counts, name), getattr(self.counts, name)) for name in names)
        return all(np.array_equal(one, other) for one, other in (*pairs, *more))


class CountedSteps:
    """What a track's operations do in the steps of its device."""

    def __init__(self, of: CountedTrack, stored: StepSums, counts: KindCounts, rows: CountRows) -> None:
        self.of, self.rows = of, rows
        self._stored = stored
        self.row_of = np.searchsorted(rows.changed, np.arange(len(stored)), side="right")  # of each step
        self._said: dict[int, dict[str, int]] = {}  # by step
        own = np.isin(counts.said_kind, of.custom)
        columns = (column[own].tolist() for column in (counts.said_step, counts.said_what, counts.said))
        for step, what, value in zip(*columns, strict=True):
            said = self._said.setdefault(step, {})
            said[SAID[what]] = said.get(SAID[what], 0) + value
        feeds = np.array([is_feed(category) for category in stored.categories], np.bool_)
        self._busy = np.zeros(len(stored), np.int64)
        np.add.at(self._busy, stored.step, stored.own)
        self._feeds = np.zeros(len(stored), np.int64)
        np.add.at(self._feeds, stored.step, stored.own * (feeds[stored.category] & of.feeds.any()))

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
        """What custom calls say in some steps."""
        return _added([of for step in steps.tolist() if (of := self._said.get(step)) is not None])

    def busy(self, steps: Ints) -> int:
        """What all operations take in some steps, ps."""
        return int(self._busy[steps].sum())

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
        return np.bincount(self.of.row_of[self.steps], minlength=len(self.of.rows.seen))


def track_steps(
    reader: QueryReader, of: CountedTrack, columns: ProgramColumns, shared: CountRows | None
) -> CountedSteps | None:
    """Those of a track; None: not all is stored that it takes. `shared`: what may be the same. Raises DamagedStore."""
    stored = track_step_sums(reader, of.track)
    counts = None if stored is None else stored.counts
    if stored is None or counts is None or OperationKinds.of(of.records.kinds.kinds).stats:
        return None
    kinds = counts.kind, counts.said_kind, counts.cut_kind
    if max(int(of_kind.max(initial=-1)) for of_kind in kinds) >= len(of.places):
        raise DamagedStore(f"track {of.track} has counts of other kinds of operations than it has")
    if (len(np.unique(counts.step)) + 1) * len(of.places) > _MOST_COUNTS:
        return None
    if of.feeds.any():
        # Sums of categories are those of feeds if all that are feeds belong to the program.
        known = columns.known
        are = known.are(is_feed)[of.places]
        named = {known.categories[at] for at in np.unique(known.category[of.places[are]]).tolist()}
        if (are & ~of.feeds).any() or not named.issubset(stored.categories):
            return None
    rows = shared if shared is not None and shared.are_of(of, counts) else CountRows(of, counts, columns)
    return CountedSteps(of, stored, counts, rows)


def program_of_steps(tracks: Sequence[StepsWithin], known: InstructionColumns, span: int) -> Operation | None:
    """The program in some steps of each track, in this time; None: what is stored does not say that any runs there."""
    used = [(one, one.rows) for one in tracks]
    tells = any(one.of.rows.tells[rows > 0].any() for one, rows in used)
    # Operations that begin before such steps may be what is seen of them.
    is_seen = any(one.of.rows.seen[rows > 0].any() for one, rows in used)
    if not is_seen or (not tells and any(one.of.rows.may_tell for one in tracks)):
        return None
    found = nothing_of_program(span - sum(one.of.feeds(one.steps) for one in tracks))
    cut = [one.of.rows.cut_in(one.steps) for one, _ in used]
    moved = _added(
        [_taken(one.of.rows.done, rows) for one, rows in used]
        + [_chosen(one.of.rows.cut_done, some) for (one, _), some in zip(used, cut, strict=True)]
    )
    found.flops, found.model_flops, found.bytes = moved["flops"], moved["model_flops"], moved["bytes"]
    for (one, rows), some in zip(used, cut, strict=True):
        of, counted = one.of.of, one.of.rows
        starts = counted.cut.kind[some & counted.cut_starts]
        uncut = rows @ counted.of_custom - np.bincount(starts, minlength=len(of.places))[of.custom]
        of.add_custom(found, known, uncut, counted.cut.take(some), one.of.said(one.steps))
    if tells:
        found.by_memory = _added(
            [_taken(one.of.rows.by_memory, rows) for one, rows in used]
            + [_chosen(one.of.rows.cut_by_memory, some) for (one, _), some in zip(used, cut, strict=True)]
        )
    return found


def _sums(rows: Ints, columns: Mapping[Key, Exact], places: Ints) -> dict[Key, list[int]]:
    """Of each column its sum for each row of counts."""
    return dict(zip(columns, sums_of_products(rows, [of[places] for of in columns.values()]), strict=True))


def _taken(sums: Mapping[Key, list[int]], rows: Ints) -> dict[Key, int]:
    """What so many steps of each row have."""
    return {
        name: sum(value * count for value, count in zip(values, rows.tolist(), strict=True))
        for name, values in sums.items()
    }


def _chosen(parts: Mapping[Key, Exact], some: Mask) -> dict[Key, int]:
    """The sums of some parts."""
    return {name: sum_of(values[some]) for name, values in parts.items()}


def _added(sums: Sequence[Mapping[Key, int]]) -> dict[Key, int]:
    return {name: sum(of.get(name, 0) for of in sums) for name in dict.fromkeys(name for of in sums for name in of)}
