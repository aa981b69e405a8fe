"""Lines of the framework above the operations of a TPU core whose trace has none: operations, or their name scopes.

At each tick the innermost operation of the core counts. A slice goes on as long as the operations that follow one
another come from the same, in one step and run of a program, idle time between them included; any other operation ends
it, also one that says no path. The operations are read record by record, so that a view reads its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.device_lines import MODULE_LINES, STEP_LINES, is_one_of
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.facts.lanes.bin_sums import SliceBins
from tilescope.tiler.facts.lanes.framework_paths import PathRows
from tilescope.tiler.facts.lanes.innermost import innermost_spans
from tilescope.tiler.facts.lanes.lane_slices import LaneSlices
from tilescope.tiler.facts.lanes.name_bins import NameBins
from tilescope.tiler.facts.operations.track_records import OperationRecords, track_kinds
from tilescope.tiler.query import EVERYTHING, Interruptible, QueryReader, Reading, join, no_events
from tilescope.tiler.query.events import Events
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.records.device.operations import CHUNK_OPERATIONS
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]

# What operations of a core are parts of, each from its start on.
PARENT_LINES: Final = STEP_LINES | MODULE_LINES

_MOST_HELD: Final = 32  # pieces: rows of scopes follow long slices through the same ones, and a growing run keeps none

_NO_ROWS: Final = np.zeros((4, 0), np.int64)


@dataclass(frozen=True, slots=True)
class _Runs:
    """Operations that follow one another and are one thing, columns of shape (n,): `number` says which, -1 none."""

    start: Ints
    stop: Ints
    number: Ints
    step: Ints

    @classmethod
    def joined(cls, start: Ints, stop: Ints, number: Ints, step: Ints) -> _Runs:
        """The runs of operations in the order of time."""
        is_other = np.append(True, (np.diff(number) != 0) | (np.diff(step) != 0))[: len(start)]
        first = np.flatnonzero(is_other)
        last = np.append(first[1:], len(start))[: len(first)] - 1
        return cls(start[first], stop[last], number[first], step[first])

    def __len__(self) -> int:
        return len(self.start)

    def goes_on(self, later: _Runs) -> bool:
        """True if the last of these goes on in the first of later ones."""
        return bool(
            len(self)
            and len(later)
            and later.number[0] >= 0
            and (self.number[-1], self.step[-1]) == (later.number[0], later.step[0])
        )


@dataclass(frozen=True, slots=True)
class FrameworkLine:
    """A line above a track of operations; `path` is that of each of its kinds, `borders` those of its pieces, ticks."""

    reader: QueryReader
    track: int
    path: Ints
    rows: PathRows
    borders: Ints

    def bins(self, borders: Ints) -> Interruptible[SliceBins]:
        """Bins between borders, shape (n + 1,), ticks. Raises DamagedStore, NotBuilt.

        The pieces of the view are read, and those beside them: a slice counts by what it has of these. A long one of
        which these have little may be drawn as sums; count and busy stay exact.
        """
        bins = NameBins(self.rows.names, self.rows.rows, borders)
        for piece in self._pieces(int(borders[0]), int(borders[-1]), beyond=1):
            if piece is not None:
                bins.add(piece)
            yield
        return bins.bins()

    def slices(self, start: int, stop: int) -> Iterator[LaneSlices | None]:
        """The slices that have a tick in [start, stop), whole, piece by piece; None where one may stop.

        Raises DamagedStore, NotBuilt.
        """
        for piece in self._pieces(start, stop, beyond=len(self.borders)):
            if piece is None:
                yield None
                continue
            used, name = np.unique(piece.name, return_inverse=True)
            names = [piece.names[number] for number in used.tolist()]
            yield LaneSlices(piece.piece_stop, names, piece.start, piece.stop, piece.row, name.astype(np.int64))

    def operations(self, tick: int) -> Interruptible[Ints]:
        """Ordinals of the operations of the innermost slice at a tick, as far as the pieces around it have them.

        Those that have begun come first, the latest of them first. Raises DamagedStore, NotBuilt.
        """
        innermost: tuple[int, int, int] | None = None  # row, start and stop
        for piece in self._pieces(tick, tick + 1, beyond=1):
            if piece is not None and len(piece):
                place = int(np.argmax(piece.row))
                innermost = int(piece.row[place]), int(piece.start[place]), int(piece.stop[place])
            yield
        if innermost is None:
            return np.zeros(0, np.int64)
        row, start, stop = innermost
        events = yield from _events(self.reader, self.track, start, stop)
        path = yield from self._paths(events)
        # At the tick the slice is the only one of its row, and its operations are alike there.
        numbers, ends = self.rows.numbers[path, row], events.start + events.duration
        spans = innermost_spans(events.start, ends, events.row, start, stop)
        number = numbers[spans.event[np.searchsorted(spans.start, start, side="right") - 1]]
        events = events.take(numbers == number)
        has_begun = events.start <= tick
        order = np.lexsort((np.where(has_begun, -events.start, events.start), ~has_begun))
        return events.ordinal[order]

    def _pieces(self, start: int, stop: int, *, beyond: int) -> Iterator[LaneSlices | None]:
        """The slices that have a tick in [start, stop), with what they have in so many pieces before and after."""
        numbers = range(
            max(int(np.searchsorted(self.borders, start, side="right")) - 1, 0),
            min(int(np.searchsorted(self.borders, stop)), len(self.borders) - 1),
        )
        if not numbers or start >= stop:
            return
        lowest, highest = max(numbers[0] - beyond, 0), min(numbers[-1] + beyond, len(self.borders) - 2)
        held: dict[int, _Runs] = {}
        before = (yield from self._piece(numbers[0] - 1, held)) if numbers[0] else None
        for number in numbers:
            piece = yield from self._piece(number, held)
            parts = [_NO_ROWS]
            for row in range(self.rows.rows):
                runs = self._row(piece, row)
                if not len(runs):
                    continue
                starts, stops = runs.start.copy(), runs.stop.copy()
                goes_on = before is not None and self._row(before, row).goes_on(runs)
                if goes_on and number == numbers[0]:
                    starts[0] = yield from self._begin(runs, row, range(number - 1, lowest - 1, -1), held)
                # A slice is in the piece in which it begins: it is followed once.
                is_later = goes_on and number > numbers[0]
                if not (is_later and len(runs) == 1):
                    stops[-1] = yield from self._end(runs, row, range(number + 1, highest + 1), held)
                is_slice = (runs.number >= 0) & (stops > starts) & (starts < stop) & (stops > start)
                is_slice[0] &= not is_later
                names = self.rows.name[runs.number[is_slice]]
                parts.append(np.stack([starts[is_slice], stops[is_slice], np.full(len(names), row), names]))
            starts, stops, rows, names = np.concatenate(parts, axis=1)
            order = np.lexsort((rows, starts))
            columns = (column[order] for column in (starts, stops, rows, names))
            yield LaneSlices(int(self.borders[number + 1]), self.rows.names, *columns)
            before = piece
            for behind in [other for other in held if other <= number]:
                del held[behind]

    def _begin(self, runs: _Runs, row: int, before: range, held: dict[int, _Runs]) -> Interruptible[int]:
        """Start of the first of these runs of a row, with what the pieces before, the latest first, have of it."""
        start = int(runs.start[0])
        for number in before:
            earlier = self._row((yield from self._piece(number, held)), row)
            if not earlier.goes_on(runs):
                break
            start, runs = int(earlier.start[-1]), earlier
            if len(earlier) > 1:
                break
        return start

    def _end(self, runs: _Runs, row: int, after: range, held: dict[int, _Runs]) -> Interruptible[int]:
        """End of the last of these runs of a row, with what the pieces after have of it."""
        stop = int(runs.stop[-1])
        for number in after:
            later = self._row((yield from self._piece(number, held)), row)
            if not runs.goes_on(later):
                break
            stop, runs = int(later.stop[0]), later
            if len(later) > 1:
                break
        return stop

    def _row(self, piece: _Runs, row: int) -> _Runs:
        return _Runs.joined(piece.start, piece.stop, self.rows.numbers[piece.number, row], piece.step)

    def _piece(self, number: int, held: dict[int, _Runs]) -> Interruptible[_Runs]:
        """Runs of a piece, which is among the `held` ones of a question from then on while these are few."""
        piece = held.get(number)
        if piece is None:
            piece = yield from self._read(number)
            if len(held) < _MOST_HELD:
                held[number] = piece
        return piece

    def _read(self, number: int) -> Interruptible[_Runs]:
        """Runs of operations that come from one path, by the number of that."""
        key = (self.track, number)
        piece = _PIECES.get(self.reader, key)
        if piece is None:
            start, stop = (int(border) for border in self.borders[number : number + 2])
            events = yield from _events(self.reader, self.track, start, stop)
            path = yield from self._paths(events)
            steps = yield from _step_starts(self.reader, self.track)
            ends = events.start + events.duration
            spans = innermost_spans(events.start, ends, events.row, start, stop)
            step = np.searchsorted(steps, events.start, side="right")
            runs = _Runs.joined(spans.start, spans.stop, path[spans.event], step[spans.event])
            piece = _PIECES.keep(self.reader, key, runs)
            yield
        return piece

    def _paths(self, events: Events) -> Interruptible[Ints]:
        """The path of each event, -1 where it says none."""
        kinds = track_kinds(self.reader, self.track)
        records = events.ordinal // CHUNK_OPERATIONS
        if kinds is None or len(kinds.kinds) != len(self.path) or int(records.max(initial=0)) >= kinds.records:
            raise DamagedStore(f"track {self.track} has other events than operations")
        reading = OperationRecords(self.reader, self.track, kinds)
        path = np.full(len(events), -1)
        for number in np.unique(records).tolist():
            kind = reading.operations(number).kind
            here = np.flatnonzero(records == number)
            places = events.ordinal[here] - reading.first(number)
            if int(places.max()) >= len(kind):
                raise DamagedStore(f"track {self.track} has other events than operations")
            path[here] = self.path[kind[places]]
            yield
        return path


_PIECES: Final = KeyedRunCache[tuple[int, int], _Runs](
    "framework_line_pieces", "Operations of frameworks on TPU cores, by time", lambda runs: 4 * runs.start.nbytes
)
_STEPS: Final = KeyedRunCache[int, Ints](
    "framework_line_steps", "Starts of steps of TPU cores", lambda starts: starts.nbytes
)


def framework_line(reader: QueryReader, track: int, path: Ints, rows: PathRows) -> FrameworkLine:
    """A line above a track of operations; `path` of each of their kinds. Raises DamagedStore, NotBuilt."""
    kinds = track_kinds(reader, track)
    if kinds is None:
        return FrameworkLine(reader, track, path, rows, np.zeros(1, np.int64))
    end = max(int(kinds.stop.max()), int(kinds.last_start.max()) + 1)
    return FrameworkLine(reader, track, path, rows, np.append(np.unique(kinds.start), end))


def parent_tracks(reader: QueryReader, track: int) -> Sequence[int]:
    """Tracks of the steps of an operations' device, and of its runs of programs."""
    tracks = reader.tree.tracks
    group = tracks[track].group
    return [other.id for other in tracks if other.group == group and is_one_of(other.name, PARENT_LINES)]


def _events(reader: QueryReader, track: int, start: int, stop: int) -> Interruptible[Events]:
    """The events of a track that have a tick in [start, stop), in canonical order."""
    plan = reader.plan(track, Windows.single(start, stop))
    parts = [no_events(track)]
    for events in Reading(reader).events_and_outliers(plan, plan.leaf_runs):
        parts.append(events)
        yield
    events = join(parts)
    return events.take(np.argsort(events.ordinal, kind="stable"))


def _step_starts(reader: QueryReader, track: int) -> Interruptible[Ints]:
    """Starts of the steps and runs of programs of an operations' device."""
    kept = _STEPS.get(reader, track)
    if kept is None:
        starts = [np.zeros(0, np.int64)]
        for parent in parent_tracks(reader, track):
            plan = reader.plan(parent, EVERYTHING)
            for events in Reading(reader).events_and_outliers(plan, plan.leaf_runs):
                starts.append(events.start)
                yield
        kept = _STEPS.keep(reader, track, np.unique(np.concatenate(starts)))
    return kept
