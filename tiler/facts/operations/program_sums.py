"""Programs as a whole in many windows, on TPU cores: sums that need no row of each instruction."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from tilescope.tiler import _native
from tilescope.tiler.facts.operations.exact_columns import Exact, Ints, products, sum_of, sums_of_products
from tilescope.tiler.facts.operations.kind_sums import NO_PARTS, CutParts, Row, clipped, cut_rows
from tilescope.tiler.facts.operations.operation import Operation
from tilescope.tiler.facts.operations.rates import nothing_of_program
from tilescope.tiler.facts.operations.step_programs import (
    CountedSteps,
    CountedTrack,
    ProgramColumns,
    of_program,
    program_of_steps,
    summed_columns,
    track_steps,
)
from tilescope.tiler.facts.operations.track_borders import EventRanges, Mask, borders_of_each
from tilescope.tiler.facts.operations.track_records import (
    CountedKinds,
    CutOperations,
    OperationRecords,
    track_kinds,
)
from tilescope.tiler.facts.operations.xla_instructions import instruction_places
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.records.device.kind_counts import SAID
from tilescope.tiler.records.device.operations import CHUNK_OPERATIONS, TrackKinds
from tilescope.tiler.records.device.xla_words import is_feed
from tilescope.tiler.store.two_threads import for_each
from tilescope.tiler.windows import Windows, WindowsOf, windows_digest

if TYPE_CHECKING:
    from tilescope.tiler.facts.operations.tpu_source import TpuCore

# How often each instruction runs is counted for some windows at once, so that what they share is read once. Two threads
# take 32 MB.
_COUNTED_AT_ONCE: Final = 1 << 21

_Key = tuple[bool, bytes]


# How long a core runs no operation in windows, ps.
IdleOf = Callable[[QueryReader, "TpuCore", Windows], Interruptible[int]]


def program_sums(
    reader: QueryReader,
    cores: Sequence[TpuCore],
    windows: Sequence[WindowsOf],
    idle_of: IdleOf,
    *,
    with_feeds: bool,
) -> Interruptible[list[Operation | None]]:
    """As `rates.program` of the table of each of some windows; None: no operation is there."""
    tracks = [track for core in cores for track in (*core.operations, *core.steps)]
    keys = [(with_feeds, windows_digest(tracks, windows_of)) for windows_of in windows]
    programs_by_key = {key: kept.program for key in keys if (kept := _PROGRAMS.get(reader, key)) is not None}
    left = {key: windows_of for key, windows_of in zip(keys, windows, strict=True) if key not in programs_by_key}
    if left:
        reading = _Reading(reader, cores, idle_of, with_feeds=with_feeds)
        yield from reading.begin()
        stored = yield from reading.of_whole_steps(left)
        programs_by_key |= stored
        left = {key: windows_of for key, windows_of in left.items() if key not in stored}
        for batch in reading.batches(list(left)):
            programs = yield from reading.programs([left[key] for key in batch])
            programs_by_key.update(zip(batch, programs, strict=True))
        for key in (*stored, *left):
            _PROGRAMS.keep(reader, key, _KeptProgram(programs_by_key[key]))
    return [programs_by_key[key] for key in keys]


@dataclass(frozen=True, slots=True)
class _KeptProgram:
    """The program in some windows; None: no operation is there."""

    program: Operation | None

    @property
    def size_bytes(self) -> int:
        """About what it takes."""
        return _SUMS_BYTES


_PROGRAMS: Final = KeyedRunCache[_Key, _KeptProgram](
    "programs_in_windows", "What programs do in all, in steps and ranges"
)
_SUMS_BYTES: Final = 800


@dataclass(frozen=True, slots=True)
class _OfTrack:
    """The operations of a track in each of many windows, beside how often they start."""

    track: CountedTrack
    windows: Sequence[Windows]
    cut: CutOperations
    call_sums: Sequence[dict[str, int]]  # what custom calls say themselves


class _Reading:
    """Reads for one question."""

    def __init__(self, reader: QueryReader, cores: Sequence[TpuCore], idle_of: IdleOf, *, with_feeds: bool) -> None:
        self._reader = reader
        self._idle_of = idle_of
        self._instructions = instruction_places(reader)
        self._with_feeds = with_feeds
        self._cores = [core for core in cores if any(track_kinds(reader, track) for track in core.operations)]
        self._tracks: list[CountedTrack] = []
        self._counted = 0  # places

    def begin(self) -> Interruptible[None]:
        """Finds out what operations are: before anything else."""
        lines: list[tuple[int, TrackKinds, Ints]] = []
        for core in self._cores:
            for track in core.operations:
                kinds = track_kinds(self._reader, track)
                places = None if kinds is None else (yield from self._instructions.places(track, kinds))
                if kinds is not None and places is not None:
                    lines.append((track, kinds, places))
        self._counted = len(self._instructions)
        self._tracks = [self._counted_track(*each) for each in lines]

    def _counted_track(self, track: int, kinds: TrackKinds, places: Ints) -> CountedTrack:
        columns = self._instructions.columns
        has_symbol = columns.has_symbol[places]
        feeds = columns.are(is_feed)[places] & has_symbol & (not self._with_feeds)
        custom = np.flatnonzero(self._instructions.are_custom()[places] & has_symbol)
        counted, first = places.copy(), self._counted
        counted[custom] = first + np.arange(len(custom))
        self._counted += len(custom)
        return CountedTrack(track, OperationRecords(self._reader, track, kinds), places, feeds, custom, counted, first)

    def of_whole_steps(self, windows: Mapping[_Key, WindowsOf]) -> Interruptible[dict[_Key, Operation]]:
        """The program in those windows that are whole steps of which enough is stored."""
        columns = ProgramColumns(self._instructions.columns, self._are_counted())
        counted_steps: list[CountedSteps] = []
        for counted in self._tracks:
            before = counted_steps[-1].rows if counted_steps else None
            steps_of_track = track_steps(self._reader, counted, columns, before)
            if steps_of_track is None:
                return {}
            counted_steps.append(steps_of_track)
            yield
        programs: dict[_Key, Operation] = {}
        for key, windows_of in windows.items() if counted_steps else ():
            within = [line.within(windows_of(line.track.track)) for line in counted_steps]
            steps = [steps_within for steps_within in within if steps_within is not None]
            if len(steps) == len(counted_steps):
                span = sum(step.counted.busy(step.steps) for step in steps) + (yield from self._idle(windows_of))
                if (whole := program_of_steps(steps, self._instructions.columns, span)) is not None:
                    programs[key] = whole
        return programs

    def _idle(self, windows_of: WindowsOf) -> Interruptible[int]:
        """Time in which the cores run no operation, ps."""
        idle = 0
        for core in self._cores:
            idle += yield from self._idle_of(self._reader, core, windows_of(core.operations[0]))
        return idle

    def batches(self, keys: Sequence[_Key]) -> Iterator[Sequence[_Key]]:
        """As many at a time as there is memory for."""
        step = max(_COUNTED_AT_ONCE // max(self._counted, 1), 1)
        for first in range(0, len(keys), step):
            yield keys[first : first + step]

    def programs(self, windows: Sequence[WindowsOf]) -> Interruptible[list[Operation | None]]:
        """The program in each of some windows; None: no operation is there."""
        counting, aside = (_native.WindowCounts(len(windows), self._counted) for _ in range(2))
        tracks = []
        for counted in self._tracks:
            track_windows = [windows_of(counted.track) for windows_of in windows]
            tracks.append((yield from self._count(counted, track_windows, counting, aside)))
        counting.merge(aside)
        yield
        counts = np.asarray(counting.counts(), np.int64).reshape(len(windows), self._counted)
        times = [low + (high << 64) for low, high in zip(*(half.tolist() for half in counting.times()), strict=True)]
        moved = self._moved(counts[:, : len(self._instructions)])
        yield
        programs = []
        for number, windows_of in enumerate(windows):
            idle = yield from self._idle(windows_of)
            done = {key: counted[number] for key, counted in moved.items()}
            programs.append(self._program(idle + times[number], number, tracks, counts[number], done))
        return programs

    def _count(
        self,
        counted: CountedTrack,
        track_windows: Sequence[Windows],
        counting: _native.WindowCounts,
        aside: _native.WindowCounts,
    ) -> Interruptible[_OfTrack]:
        """Counts the operations of a track in each of some windows."""
        borders = yield from borders_of_each(
            self._reader, counted.track, [(windows.starts, windows.stops) for windows in track_windows]
        )
        ranges = EventRanges.from_borders(borders)
        kinds = CountedKinds(counted.counted, (~counted.feeds).astype(np.uint8), counted.first_custom)
        numbers = ranges.records(CHUNK_OPERATIONS)
        records = yield from for_each(
            numbers, lambda number, into: counted.records.count_in(into, number, ranges, kinds), counting, aside
        )
        said_numbers: list[dict[str, int]] = [{} for _ in track_windows]
        if len(counted.custom) and records:
            says = {number: record.says for number, record in zip(numbers, records, strict=True) if record.says.any()}
            ordinal = np.concatenate([record.special for record in records])
            values = np.concatenate([record.numbers for record in records]).reshape(-1, len(SAID))
            are_cut = np.isin(ordinal, ranges.opened.ordinal)
            for windows, each, own in zip(track_windows, borders, said_numbers, strict=True):
                met = [says[number] for number in counted.records.met(windows) if number in says]
                held = values[each.hold(ordinal) & ~are_cut]
                cut = [(row, *ranges.opened.times(int(ordinal[row]))) for row in np.flatnonzero(are_cut).tolist()]
                for stat, name in enumerate(SAID):
                    if any(record[stat] for record in met):
                        parts = (
                            clipped(windows, start, end, max(int(values[row, stat]), 0)) for row, start, end in cut
                        )
                        own[name] = sum_of(np.maximum(held[:, stat], 0)) + sum(parts)
        return _OfTrack(counted, track_windows, CutOperations.from_records(ranges.opened, records), said_numbers)

    def _are_counted(self) -> Mask:
        return of_program(self._instructions.columns, with_feeds=self._with_feeds)

    def _moved(self, counts: Ints) -> dict[_Name, list[int]]:
        """Amounts that instructions other than custom calls compute and move in each of the windows."""
        done, by_memory = summed_columns(self._instructions.columns, self._are_counted())
        names: list[_Name] = [*done, *by_memory]
        return dict(zip(names, sums_of_products(counts, [*done.values(), *by_memory.values()]), strict=True))

    def _program(
        self,
        total: int,
        number: int,
        tracks: Sequence[_OfTrack],
        counts: Ints,
        moved: dict[_Name, int],
    ) -> Operation | None:
        columns, of_all = self._instructions.columns, self._are_counted()
        custom = np.zeros(len(self._instructions), np.int64)
        for line in (counted.track for counted in tracks):
            np.add.at(custom, line.places[line.custom], line.of_custom(counts))
        seen = (counts[: len(custom)] > 0) | (custom > 0)
        cuts = [_CutIn.in_window(track, number) for track in tracks]
        for cut in cuts:
            total += cut.taken
            seen[cut.track.places[cut.parts.kind]] = True
        seen &= columns.has_symbol
        if not seen.any():
            return None
        whole = nothing_of_program(total)
        whole.flops, whole.model_flops, whole.bytes = moved["flops"], moved["model_flops"], moved["bytes"]
        done, by_memory = summed_columns(columns, of_all)
        for counted, cut in zip(tracks, cuts, strict=True):
            whole.flops += cut.more(done["flops"], with_custom=False)
            whole.model_flops += cut.more(done["model_flops"], with_custom=False)
            whole.bytes += cut.more(done["bytes"], with_custom=False)
            line = counted.track
            uncut = line.of_custom(counts) - np.bincount(cut.starts, minlength=len(line.places))[line.custom]
            line.add_custom(whole, columns, uncut, cut.parts, counted.call_sums[number])
        if (columns.tells_memory & seen & of_all).any():
            custom[~of_all] = 0
            whole.by_memory = {
                key: moved[key]
                + sum_of(products(column, custom))
                + sum(cut.more(by_memory[key], with_custom=True) for cut in cuts)
                for key, column in columns.traffic.items()
            }
        return whole


@dataclass(frozen=True, slots=True)
class _CutIn:
    """The part that a window has of the operations of a track that any of the windows cuts."""

    track: CountedTrack
    parts: CutParts
    starts: Ints  # kinds of those that start in the window: they are counted there
    taken: int  # what they take themselves, without feeds, ps

    @classmethod
    def in_window(cls, counted: _OfTrack, number: int) -> _CutIn:
        """The part of the window with this number."""
        windows, track, cut = counted.windows[number], counted.track, counted.cut
        if not len(windows) or not len(cut):
            return cls(track, NO_PARTS, np.zeros(0, np.int64), 0)
        counts, counts_around = ~track.feeds[cut.kind], ~track.feeds[cut.parent] & (cut.parent >= 0)
        near = np.flatnonzero((cut.start < windows.stop) & (cut.end > windows.start))
        taken, rows = 0, list[Row]()
        for row in near.tolist():
            start, end = int(cut.start[row]), int(cut.end[row])
            rows += cut_rows(windows, int(cut.kind[row]), start, end)
            taken += clipped(windows, start, end, int(cut.duration[row])) * (int(counts[row]) - int(counts_around[row]))
        return cls(track, CutParts.from_rows(rows), cut.kind[near[windows.hold(cut.start[near])]], taken)

    def more(self, done: Exact, *, with_custom: bool) -> int:
        """Amount that the parts do, less what is counted of operations that start in the window; `done`: by place."""
        of_kind = done[self.track.places]
        if not with_custom:
            of_kind[self.track.custom] = 0
        return sum(self.parts.parts(of_kind)) - sum_of(of_kind[self.starts])


_Name = str | tuple[int, bool]
