"""The program in whole steps, from what is stored of these: no operation is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.facts.operations.exact_columns import Exact, products, sum_of, sums_of_products
from tilescope.tiler.facts.operations.kind_sums import CutParts
from tilescope.tiler.facts.operations.operation import Operation
from tilescope.tiler.facts.operations.rates import nothing_of_program
from tilescope.tiler.facts.operations.track_records import OperationRecords, track_step_sums
from tilescope.tiler.facts.operations.xla_instructions import InstructionColumns
from tilescope.tiler.query import QueryReader
from tilescope.tiler.records.device.kind_counts import SAID, KindCounts
from tilescope.tiler.records.device.operations import OperationKinds
from tilescope.tiler.records.device.step_sums import StepSums
from tilescope.tiler.records.device.xla_words import is_control, is_feed
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
        self, whole: Operation, columns: InstructionColumns, uncut: Ints, cut: CutParts, said_sums: dict[str, int]
    ) -> None:
        """Adds custom calls of the track: what they say themselves goes before what their instructions say.

        `uncut`: of each of `custom` how many start and are not cut; `cut`: parts of all kinds.
        """
        if not len(self.custom):
            return
        parts = cut.take(np.isin(cut.kind, self.custom))

        def total(column: Exact) -> int:
            of_kind = column[self.places]
            return sum_of(products(of_kind[self.custom], uncut)) + sum(parts.parts(of_kind))

        flops = said_sums.get("flops")
        whole.flops += total(columns.flops) if flops is None else flops
        model_flops = said_sums.get("model_flops", flops)
        whole.model_flops += total(columns.model_flops) if model_flops is None else model_flops
        moved = said_sums.get("bytes_accessed")
        whole.bytes += total(columns.bytes) if moved is None else moved


def of_program(columns: InstructionColumns, *, with_feeds: bool) -> Mask:
    """The instructions whose FLOPs and bytes are those of the program."""
    are_counted: Mask = columns.has_symbol & ~columns.are(is_control)
    return are_counted if with_feeds else are_counted & ~columns.are(is_feed)


def summed_columns(
    columns: InstructionColumns, are_counted: Mask
) -> tuple[dict[str, Exact], dict[tuple[int, bool], Exact]]:
    """Amounts that counted instructions compute and move, 0 for others; and what each memory has of that."""
    moved = {"flops": columns.flops, "model_flops": columns.model_flops, "bytes": columns.bytes}
    return (
        {name: np.where(are_counted, column, 0) for name, column in moved.items()},
        {name: np.where(are_counted, column, 0) for name, column in columns.traffic.items()},
    )


Key = TypeVar("Key")

# Steps that differ times kinds, 16 MB: steps of real runs are alike.
_MOST_COUNTS: Final = 1 << 21


class ProgramColumns:
    """Columns of instructions: `instructions` of all, the others with 0 where one is not of the program."""

    def __init__(self, columns: InstructionColumns, are_counted: Mask) -> None:
        """`are_counted`: those whose FLOPs and bytes are those of the program."""
        self.instructions = columns
        self.tells = columns.tells_memory & columns.has_symbol & are_counted
        self.done, self.by_memory = summed_columns(columns, are_counted)


class CountRows:
    """Counts of kinds that start in steps, a row for each that differs from the one before; and what they do then."""

    def __init__(self, track: CountedTrack, counts: KindCounts, columns: ProgramColumns) -> None:
        self.counts, self.places, self.custom = counts, track.places, track.custom
        changed = np.unique(counts.step)
        rows = np.zeros((len(changed) + 1, len(track.places)), np.int64)  # the first is of nothing
        begins = np.searchsorted(counts.step, changed)
        for row, (begin, end) in enumerate(zip(begins, np.append(begins[1:], len(counts.step)), strict=True), start=1):
            rows[row] = rows[row - 1]
            rows[row, counts.kind[begin:end]] = counts.count[begin:end]
        self.changed = changed
        self.of_custom = rows[:, track.custom]
        tells = columns.tells[track.places]
        self.seen: Mask = ((rows > 0) & columns.instructions.has_symbol[track.places]).max(axis=1, initial=False)
        self.tells: Mask = ((rows > 0) & tells).max(axis=1, initial=False)
        self.may_tell = bool(tells.any())
        self.by_memory = _sums(rows, columns.by_memory, track.places)
        rows[:, track.custom] = 0
        self.done = _sums(rows, columns.done, track.places)
        # Of operations that steps cut, what a step has; beside what is counted of those that start there.
        self.cut = CutParts(counts.cut_kind, counts.cut_first, counts.cut_last, counts.cut_length)
        self.cut_starts: Mask = counts.cut_first == 0
        self.cut_done = self._more(columns.done, ~np.isin(self.cut.kind, track.custom))
        self.cut_by_memory = self._more(columns.by_memory, np.ones(len(self.cut), np.bool_))

    def _more(self, columns: Mapping[Key, Exact], are_counted: Mask) -> dict[Key, Exact]:
        """For each column, the amount that each part adds to what is counted."""
        sums: dict[Key, Exact] = {}
        for key, column in columns.items():
            done = column[self.places]
            counted = np.where(self.cut_starts, done[self.cut.kind], 0)
            sums[key] = np.where(are_counted, np.array(self.cut.parts(done), object) - counted, 0)
        return sums

    def cut_in(self, steps: Ints) -> Mask:
        """Mask of the parts that are of these steps."""
        are_cut: Mask = np.isin(self.counts.cut_step, steps)
        return are_cut

    def are_of(self, track: CountedTrack, counts: KindCounts) -> bool:
        """True if another track, of the same instructions, has the same counts: as a rule all cores have."""
        pairs = ((track.places, self.places), (track.custom, self.custom), (counts.step, self.counts.step))
        names = ("kind", "count", "cut_step", "cut_kind", "cut_first", "cut_last", "cut_length")
        more = ((getattr(counts, name), getattr(self.counts, name)) for name in names)
        return all(np.array_equal(own, other) for own, other in (*pairs, *more))


class CountedSteps:
    """The operations of a track in the steps of its device."""

    def __init__(self, track: CountedTrack, stored: StepSums, counts: KindCounts, rows: CountRows) -> None:
        self.track, self.rows = track, rows
        self._stored = stored
        self.row_of = np.searchsorted(rows.changed, np.arange(len(stored)), side="right")  # of each step
        self._call_sums: dict[int, dict[str, int]] = {}  # by step
        own = np.isin(counts.said_kind, track.custom)
        columns = (column[own].tolist() for column in (counts.said_step, counts.said_what, counts.said))
        for step, what, value in zip(*columns, strict=True):
            step_sums = self._call_sums.setdefault(step, {})
            step_sums[SAID[what]] = step_sums.get(SAID[what], 0) + value
        feeds = np.array([is_feed(category) for category in stored.categories], np.bool_)
        self._busy = np.zeros(len(stored), np.int64)
        np.add.at(self._busy, stored.step, stored.own)
        self._feeds = np.zeros(len(stored), np.int64)
        np.add.at(self._feeds, stored.step, stored.own * (feeds[stored.category] & track.feeds.any()))

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
        pieces = [np.arange(begin, end + 1) for begin, end in zip(first.tolist(), last.tolist(), strict=True)]
        steps = np.concatenate(pieces)
        if (stored.stop[steps] - stored.start[steps]).sum() != windows.ticks:
            return None
        return StepsWithin(self, steps)

    def call_sums(self, steps: Ints) -> dict[str, int]:
        """Sums of what custom calls say in these steps."""
        return _added([sums for step in steps.tolist() if (sums := self._call_sums.get(step)) is not None])

    def busy(self, steps: Ints) -> int:
        """Time of all operations in these steps, ps."""
        return int(self._busy[steps].sum())

    def feeds(self, steps: Ints) -> int:
        """Time of feeds in these steps, ps."""
        return int(self._feeds[steps].sum())


@dataclass(frozen=True, slots=True)
class StepsWithin:
    """Some steps of a track."""

    counted: CountedSteps
    steps: Ints

    @property
    def rows(self) -> Ints:
        """Number of steps that have each row of counts."""
        return np.bincount(self.counted.row_of[self.steps], minlength=len(self.counted.rows.seen))


def track_steps(
    reader: QueryReader, track: CountedTrack, columns: ProgramColumns, shared: CountRows | None
) -> CountedSteps | None:
    """Steps of a track; None: not all that it takes is stored. `shared`: rows that may fit. Raises DamagedStore."""
    stored = track_step_sums(reader, track.track)
    counts = None if stored is None else stored.counts
    if stored is None or counts is None or OperationKinds.of(track.records.kinds.kinds).stats:
        return None
    kinds = counts.kind, counts.said_kind, counts.cut_kind
    if max(int(of_kind.max(initial=-1)) for of_kind in kinds) >= len(track.places):
        raise DamagedStore(f"track {track.track} has counts of other kinds of operations than it has")
    if (len(np.unique(counts.step)) + 1) * len(track.places) > _MOST_COUNTS:
        return None
    if track.feeds.any():
        # Sums of categories are those of feeds if all that are feeds belong to the program.
        instructions = columns.instructions
        are = instructions.are(is_feed)[track.places]
        named = {
            instructions.categories[number] for number in np.unique(instructions.category[track.places[are]]).tolist()
        }
        if (are & ~track.feeds).any() or not named.issubset(stored.categories):
            return None
    rows = shared if shared is not None and shared.are_of(track, counts) else CountRows(track, counts, columns)
    return CountedSteps(track, stored, counts, rows)


def program_of_steps(tracks: Sequence[StepsWithin], columns: InstructionColumns, span: int) -> Operation | None:
    """The program in some steps of each track, in this time; None: what is stored does not say that any runs there."""
    used = [(track, track.rows) for track in tracks]
    tells = any(within.counted.rows.tells[rows > 0].any() for within, rows in used)
    # Operations that begin before such steps may be what is seen of them.
    is_seen = any(within.counted.rows.seen[rows > 0].any() for within, rows in used)
    if not is_seen or (not tells and any(track.counted.rows.may_tell for track in tracks)):
        return None
    whole = nothing_of_program(span - sum(track.counted.feeds(track.steps) for track in tracks))
    cut = [within.counted.rows.cut_in(within.steps) for within, _ in used]
    moved = _added(
        [_taken(within.counted.rows.done, rows) for within, rows in used]
        + [_chosen(within.counted.rows.cut_done, are_cut) for (within, _), are_cut in zip(used, cut, strict=True)]
    )
    whole.flops, whole.model_flops, whole.bytes = moved["flops"], moved["model_flops"], moved["bytes"]
    for (within, rows), are_cut in zip(used, cut, strict=True):
        counted_track, counted = within.counted.track, within.counted.rows
        starts = counted.cut.kind[are_cut & counted.cut_starts]
        uncut = (
            rows @ counted.of_custom - np.bincount(starts, minlength=len(counted_track.places))[counted_track.custom]
        )
        counted_track.add_custom(
            whole, columns, uncut, counted.cut.take(are_cut), within.counted.call_sums(within.steps)
        )
    if tells:
        whole.by_memory = _added(
            [_taken(within.counted.rows.by_memory, rows) for within, rows in used]
            + [
                _chosen(within.counted.rows.cut_by_memory, are_cut)
                for (within, _), are_cut in zip(used, cut, strict=True)
            ]
        )
    return whole


def _sums(rows: Ints, columns: Mapping[Key, Exact], places: Ints) -> dict[Key, list[int]]:
    """For each column, its sum for each row of counts."""
    return dict(zip(columns, sums_of_products(rows, [column[places] for column in columns.values()]), strict=True))


def _taken(sums: Mapping[Key, list[int]], rows: Ints) -> dict[Key, int]:
    """Sums over so many steps of each row."""
    return {
        name: sum(value * count for value, count in zip(values, rows.tolist(), strict=True))
        for name, values in sums.items()
    }


def _chosen(parts: Mapping[Key, Exact], which: Mask) -> dict[Key, int]:
    """The sums of some parts."""
    return {name: sum_of(values[which]) for name, values in parts.items()}


def _added(sums: Sequence[Mapping[Key, int]]) -> dict[Key, int]:
    return {
        name: sum(sum_by_name.get(name, 0) for sum_by_name in sums)
        for name in dict.fromkeys(name for sum_by_name in sums for name in sum_by_name)
    }
