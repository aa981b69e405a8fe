"""The gaps of lanes: all are counted, the first of a list are kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts import NOTHING, Busy
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.tools.gaps.lanes import Lane
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]
Order = Literal["longest", "time"]

_DECADES: Final = 20  # of lengths of gaps, in ticks
_FIRST_OF_DECADE: Final = np.array([10**k for k in range(19)], np.int64)


@dataclass(frozen=True, slots=True, order=True)
class GapPlace:
    """Place of a gap in a list: by length or start, then by what tells apart gaps that agree in it."""

    first: int
    second: int
    track: int

    @classmethod
    def parse(cls, text: str) -> GapPlace:
        """As `text` writes it."""
        return cls(*map(int, text.split(",")))

    def text(self) -> str:
        """Three numbers."""
        return f"{self.first},{self.second},{self.track}"


@dataclass(frozen=True, slots=True)
class Gaps:
    """Gaps of lanes, columns of shape (n,)."""

    lane: Ints
    track: Ints  # the first of the lane
    start: Ints
    stop: Ints

    def __len__(self) -> int:
        return len(self.start)

    def take(self, which: Ints | NDArray[np.bool_] | slice) -> Gaps:
        """Some of them."""
        return Gaps(self.lane[which], self.track[which], self.start[which], self.stop[which])

    def joined(self, other: Gaps) -> Gaps:
        """These and others."""
        pairs = zip(self._columns(), other._columns(), strict=True)
        return Gaps(*(np.concatenate(pair) for pair in pairs))

    def _columns(self) -> tuple[Ints, Ints, Ints, Ints]:
        return self.lane, self.track, self.start, self.stop

    def place(self, row: int, order: Order) -> GapPlace:
        """Place of a gap in a list; `row`: its index."""
        start, track = int(self.start[row]), int(self.track[row])
        return GapPlace(int(self.stop[row]) - start, start, track) if order == "longest" else GapPlace(start, 0, track)

    def ordered(self, order: Order) -> Gaps:
        """Longest first, then by time; or by time."""
        keys = (self.track, self.start, self.start - self.stop)
        return self.take(np.lexsort(keys if order == "longest" else keys[:2]))

    def after(self, place: GapPlace, order: Order) -> Gaps:
        """The gaps that follow a place of a list."""
        if order == "time":
            later = (self.start > place.first) | ((self.start == place.first) & (self.track > place.track))
            return self.take(later)
        length = self.stop - self.start
        behind = (self.start > place.second) | ((self.start == place.second) & (self.track > place.track))
        return self.take((length < place.first) | ((length == place.first) & behind))


_NONE: Final = np.zeros(0, np.int64)
NO_GAPS: Final = Gaps(_NONE, _NONE, _NONE, _NONE)


@dataclass(slots=True)
class LaneGaps:
    """Sums over the gaps of a lane. Gaps that last too short to be listed are idle time as well."""

    span: int = 0
    busy: int = 0
    count: int = 0
    idle_listed: int = 0  # of gaps that are long enough
    longest: int = 0
    cut: int = 0  # gaps that reach to an edge of what is looked at
    start: int = 0
    stop: int = 0

    @property
    def idle(self) -> int:
        """Whatever is not busy."""
        return self.span - self.busy


@dataclass(slots=True)
class Search:
    """The first gaps of a list, and what all of them come to."""

    at_least: int
    order: Order
    limit: int
    after: GapPlace | None
    first: Gaps = NO_GAPS  # one more than are listed, if there are so many
    counts: Ints = field(default_factory=lambda: np.zeros(_DECADES, np.int64))  # by length
    ticks: list[int] = field(default_factory=lambda: [0] * _DECADES)
    _shortest: int = 0  # of those that come first, when there are enough

    def look_through(
        self,
        reader: QueryReader,
        lane: Lane,
        number: int,
        windows: Windows,
        within: TickRange,
        *,
        first_launch: int | None = None,
    ) -> Interruptible[LaneGaps]:
        """Counts the gaps of a lane between its first and last work in a span, and keeps those that come first.

        With `first_launch`, from that on where it comes before the first work.
        """
        lane_gaps = LaneGaps()
        busy = Busy(reader, [track.of_any_kind for track in lane.tracks])
        extent = yield from busy.extent(within)
        begin = extent.start if first_launch is None else min(extent.start, first_launch)
        windows = windows.clipped(begin, extent.stop) if len(extent) else NOTHING
        lane_gaps.start, lane_gaps.stop = windows.start, windows.stop
        open_at = -1  # start of a gap that reaches to the end of the piece before
        for piece in busy.pieces(windows):
            if piece is not None:
                work = NOTHING.joined(*(spans.any for spans in piece.of))
                idle = piece.windows.without(work)
                lane_gaps.span += piece.windows.ticks
                lane_gaps.busy += work.ticks
                start, stop = idle.starts, idle.stops
                if open_at >= 0 and len(start) and start[0] == piece.windows.start:
                    start = np.append(open_at, start[1:])
                elif open_at >= 0:
                    start, stop = np.append(open_at, start), np.append(piece.windows.start, stop)
                open_at = -1
                goes_on = bool(len(stop)) and stop[-1] == piece.windows.stop and stop[-1] not in windows.stops
                if goes_on:
                    open_at, start, stop = int(start[-1]), start[:-1], stop[:-1]
                self._add(lane_gaps, lane, number, start, stop, windows)
            yield
        return lane_gaps

    def _add(self, lane_gaps: LaneGaps, lane: Lane, number: int, start: Ints, stop: Ints, windows: Windows) -> None:
        length = stop - start
        ordered = np.sort(length)
        borders = np.append(np.searchsorted(ordered, _FIRST_OF_DECADE), len(ordered))
        sums = np.append(0, np.cumsum(ordered))[borders]
        self.counts[1:] += np.diff(borders)
        for decade, ticks in enumerate(np.diff(sums).tolist(), 1):
            self.ticks[decade] += ticks
        long = length >= max(self.at_least, 1)
        start, stop, length = start[long], stop[long], length[long]
        lane_gaps.count += len(start)
        lane_gaps.idle_listed += int(length.sum())
        lane_gaps.longest = max(lane_gaps.longest, int(length.max(initial=0)))
        lane_gaps.cut += int((np.isin(start, windows.starts) | np.isin(stop, windows.stops)).sum())
        if self.order == "longest":  # most are too short
            start, stop = start[length >= self._shortest], stop[length >= self._shortest]
        gaps = Gaps(np.full(len(start), number), np.full(len(start), lane.track), start, stop)
        if self.after is not None:
            gaps = gaps.after(self.after, self.order)
        self.first = self.first.joined(gaps)
        if len(self.first) > 4 * (self.limit + 1):
            self.settle()

    def settle(self) -> None:
        """Keeps but the first."""
        wanted = self.limit + 1
        if self.order == "longest" and len(self.first) > wanted:
            length = self.first.stop - self.first.start
            self._shortest = int(np.partition(length, len(length) - wanted)[len(length) - wanted])
            self.first = self.first.take(length >= self._shortest)
        self.first = self.first.ordered(self.order).take(slice(wanted))
