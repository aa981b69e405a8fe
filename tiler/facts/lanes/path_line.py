"""Lines of what operations come from, above their tracks: a row for each level of a path, from the outside in.

At each tick the innermost operation of the tracks counts. A slice goes on as long as the operations that follow one
another come from the same, in one step and run of a program, idle time between them included; any other operation ends
it, also one that says no path. The operations are read piece by piece, so that a view reads its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.lanes.bin_sums import SliceBins
from tilescope.tiler.facts.lanes.framework_paths import PathRows
from tilescope.tiler.facts.lanes.innermost import innermost_spans
from tilescope.tiler.facts.lanes.lane_slices import LaneSlices
from tilescope.tiler.facts.lanes.name_bins import NameBins
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_caches import KeyedRunCache

Ints = NDArray[np.int64]

_MOST_HELD: Final = 32  # pieces: rows of scopes follow long slices through the same ones, and a growing run keeps none

_NO_ROWS: Final = np.zeros((4, 0), np.int64)


@dataclass(frozen=True, slots=True)
class PathOperations:
    """Operations by start, longer first; columns of shape (n,). `path` is the number of theirs, -1 where they say none.

    Those of one row do not overlap.
    """

    track: Ints
    ordinal: Ints
    start: Ints
    stop: Ints
    row: Ints
    path: Ints

    def __len__(self) -> int:
        return len(self.start)

    def take(self, which: Ints | NDArray[np.bool_]) -> PathOperations:
        """Some of them."""
        return PathOperations(*(getattr(self, column)[which] for column in self.__slots__))


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


class PathLine(ABC):
    """A line above tracks of operations; `borders` are those of its pieces, ticks, shape (n + 1,)."""

    reader: QueryReader
    rows: PathRows
    borders: Ints

    @property
    @abstractmethod
    def key(self) -> Hashable:
        """The same for all lines of a run that are made of the same operations and numbers of paths."""

    @abstractmethod
    def read(self, start: int, stop: int) -> Interruptible[PathOperations]:
        """The operations that have a tick in [start, stop). Raises DamagedStore, NotBuilt."""

    @abstractmethod
    def step_starts(self) -> Interruptible[Ints]:
        """Ticks, ascending, across which no slice goes on."""

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

    def operations(self, tick: int) -> Interruptible[PathOperations]:
        """The operations of the innermost slice at a tick, as far as the pieces around it have them.

        Those that have begun come first, the latest of them first. Raises DamagedStore, NotBuilt.
        """
        innermost: tuple[int, int, int] | None = None  # row, start and stop
        for piece in self._pieces(tick, tick + 1, beyond=1):
            if piece is not None and len(piece):
                place = int(np.argmax(piece.row))
                innermost = int(piece.row[place]), int(piece.start[place]), int(piece.stop[place])
            yield
        if innermost is None:
            return PathOperations(*[np.zeros(0, np.int64)] * len(PathOperations.__slots__))
        row, start, stop = innermost
        operations = yield from self.read(start, stop)
        # At the tick the slice is the only one of its row, and its operations are alike there.
        numbers = self.rows.numbers[operations.path, row]
        spans = innermost_spans(operations.start, operations.stop, operations.row, start, stop)
        number = numbers[spans.event[np.searchsorted(spans.start, start, side="right") - 1]]
        operations = operations.take(numbers == number)
        has_begun = operations.start <= tick
        order = np.lexsort((np.where(has_begun, -operations.start, operations.start), ~has_begun))
        return operations.take(order)

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
        key = (self.key, number)
        piece = _PIECES.get(self.reader, key)
        if piece is None:
            start, stop = (int(border) for border in self.borders[number : number + 2])
            operations = yield from self.read(start, stop)
            steps = yield from self.step_starts()
            spans = innermost_spans(operations.start, operations.stop, operations.row, start, stop)
            step = np.searchsorted(steps, operations.start, side="right")
            runs = _Runs.joined(spans.start, spans.stop, operations.path[spans.event], step[spans.event])
            piece = _PIECES.keep(self.reader, key, runs)
            yield
        return piece


_PIECES: Final = KeyedRunCache[tuple[Hashable, int], _Runs](
    "path_line_pieces", "Paths of operations, by time", lambda runs: 4 * runs.start.nbytes
)
