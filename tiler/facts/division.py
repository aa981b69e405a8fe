"""Division of a device's time: computation, communication and copies that nothing hides, and idle time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.facts.busy import FIELDS, NOTHING, Busy, UnsortedPiece, WorkSpans
from tilescope.tiler.facts.work import Work
from tilescope.tiler.store.two_threads import worked_aside
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TimeFrames:
    """Stretches of time, ascending and disjoint: columns of shape (n,). They may touch, as steps do; `first` of all."""

    begin: Ints
    end: Ints
    first: int = 0

    @property
    def windows(self) -> Windows:
        """All of them."""
        return Windows.from_spans(self.begin, self.end) if len(self.begin) else NOTHING

    @property
    def numbers(self) -> slice:
        """Their places among all."""
        return slice(self.first, self.first + len(self.begin))

    def within(self, windows: Windows) -> TimeFrames:
        """The parts of them between the first tick of some windows and their last."""
        first, last = np.searchsorted(self.end, windows.start, "right"), np.searchsorted(self.begin, windows.stop)
        which = slice(int(first), int(last))
        begin, end = np.maximum(self.begin[which], windows.start), np.minimum(self.end[which], windows.stop)
        return TimeFrames(begin, end, self.first + int(first))


@dataclass(frozen=True, slots=True)
class Division:
    """A piece of a device's time. `exposed`: no two kinds share a tick; with `idle` they are all of `windows`.

    `ticks`: of each kind of `exposed` in each of `stretches`, shape (kinds, stretches).
    """

    windows: Windows
    stretches: TimeFrames
    ticks: Ints
    exposed: WorkSpans
    idle: Windows
    tracks: Sequence[Sequence[Windows]] | None  # of each track all of each `Work`; None: of some there are only ticks

    @property
    def work(self) -> WorkSpans:
        """All of each kind. Of computation, which nothing hides, that is what is exposed.

        Not to be asked for where of some kinds there are only ticks.
        """
        assert self.tracks is not None, "a division that counts some kinds keeps no work"
        _, *others = FIELDS
        joined = [NOTHING.joined(*(kinds[kind] for kinds in self.tracks)) for kind in others]
        return WorkSpans(self.exposed.computation, *joined)


def divisions(busy: Busy, windows: Windows) -> Iterator[Division | None]:
    """Pieces that make up some windows, by time; None where whoever asks may stop. Raises DamagedStore."""
    stretches = TimeFrames(windows.starts, windows.stops)
    return worked_aside(busy.unsorted_pieces(windows), partial(_divided, stretches=stretches, counted=0))


def counted_division(piece: UnsortedPiece, stretches: TimeFrames) -> Division:
    """A piece of the time of a device in stretches: of computation, which there is most of, only ticks. For any thread.

    Raises DamagedStore.
    """
    return _divided(piece, stretches=stretches, counted=1)


def _divided(piece: UnsortedPiece, *, stretches: TimeFrames, counted: int) -> Division:
    return divided(piece.windows, piece.kinds(), stretches.within(piece.windows), counted)


def divided(windows: Windows, tracks: Sequence[Sequence[Windows]], stretches: TimeFrames, counted: int = 0) -> Division:
    """A piece of the time of one device, with the `Work` of its tracks. Of the first `counted` kinds only ticks."""
    # An operation that runs others is computation where none of them runs.
    control = [(0, kinds[Work.CONTROL].without(*(kinds[kind] for kind in FIELDS))) for kinds in tracks]
    work = [(place, kinds[kind]) for place, kind in enumerate(FIELDS) for kinds in tracks]
    sets = [*work[: len(tracks)], *control, *work[len(tracks) :]]
    ticks, spans = _native.divided_time(
        stretches.begin,
        stretches.end,
        [(part.starts, part.stops) for _, part in sets],
        [place for place, _ in sets],
        len(FIELDS),
        counted,
    )
    *parts, idle = [Windows(*part) for part in spans]
    exposed = WorkSpans(*[NOTHING] * counted, *parts)
    kept = None if counted else tracks  # several megabytes: who counts needs no more than is exposed
    return Division(windows, stretches, ticks.reshape(len(FIELDS), -1), exposed, idle, kept)
