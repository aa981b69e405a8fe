"""Sums of a path and of the work beside it: made once with it, so that tables need not look at all of its pieces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.distinct import distinct
from tilescope.tiler.facts.critical_path.graph import ENDLESS
from tilescope.tiler.facts.critical_path.kinds import PathKind, WaitKind
from tilescope.tiler.facts.critical_path.path_pieces import PathPieces, SlackSpans
from tilescope.tiler.facts.wide_sums import WideSums
from tilescope.tiler.query import Interruptible

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class NameSums:
    """Time by kind and name, columns of shape (n,), ascending."""

    kind: Ints  # PathKind
    name: Ints  # name id, -1 none
    ticks: WideSums
    count: Ints  # of pieces or spans


@dataclass(frozen=True, slots=True)
class BesideSums:
    """Work beside a path by kind and name; columns of shape (n,)."""

    names: NameSums
    slack: Ints  # the least; ENDLESS: nothing waits for it
    track: Ints  # of the first span with the least slack
    ordinal: Ints  # of its slice


@dataclass(frozen=True, slots=True)
class TrackSums:
    """Tracks with work in the span, columns of shape (n,), ascending."""

    track: Ints
    on_path: WideSums
    beside: WideSums
    slack: Ints  # the least of what lies beside; ENDLESS: nothing waits for it


@dataclass(frozen=True, slots=True)
class WaitSums:
    """Pieces by the way in which they follow the one before, columns of shape (WaitKind,)."""

    ticks: WideSums
    count: Ints


@dataclass(frozen=True, slots=True)
class PathSums:
    """All sums of a path."""

    names: NameSums
    waits: WaitSums
    beside: BesideSums
    tracks: TrackSums
    changes: int  # of track

    def kind_ticks(self) -> list[int]:
        """The time of each PathKind."""
        return self.names.ticks.regrouped(self.names.kind, len(PathKind)).integers()

    def kind_counts(self) -> list[int]:
        """The number of pieces of each PathKind."""
        counts = np.zeros(len(PathKind), np.int64)
        np.add.at(counts, self.names.kind, self.names.count)
        listed: list[int] = counts.tolist()
        return listed


def path_sums(pieces: PathPieces, work: SlackSpans) -> Interruptible[PathSums]:
    """The sums of a path; work with slack lies beside it."""
    names, _ = _by_name(pieces.kind, pieces.name, pieces.ticks)
    yield
    is_linked = pieces.wait != WaitKind.ORDER
    waits = WaitSums(
        _sums(np.where(is_linked, pieces.ticks, 0), pieces.wait, len(WaitKind)),
        np.bincount(pieces.wait, minlength=len(WaitKind)),
    )
    yield
    rows = np.flatnonzero(work.slack > 0)
    beside = yield from _beside(work, rows)
    tracks = yield from _tracks(pieces, work, rows)
    return PathSums(names, waits, beside, tracks, int(np.count_nonzero(pieces.source_track >= 0)))


def _beside(work: SlackSpans, rows: Ints) -> Interruptible[BesideSums]:
    slack = work.slack[rows]
    names, group = _by_name(work.kind[rows], work.name[rows], (work.stop - work.start)[rows])
    yield
    least = np.full(len(names.kind), ENDLESS)
    np.minimum.at(least, group, slack)
    yield
    is_least = np.flatnonzero(slack == least[group])
    first = np.full(len(names.kind), len(work.start))
    np.minimum.at(first, group[is_least], rows[is_least])
    return BesideSums(names, least, work.track[first], work.ordinal[first])


def _tracks(pieces: PathPieces, work: SlackSpans, rows: Ints) -> Interruptible[TrackSums]:
    there = np.flatnonzero(pieces.track >= 0)
    on_path, of_piece = distinct(pieces.track[there])
    yield
    with_work, of_work = distinct(work.track)
    yield
    tracks = np.union1d(on_path, with_work)  # a thread may have calls that wait alone, which are no work
    of_work = np.searchsorted(tracks, with_work)[of_work[rows]]
    beside = _sums((work.stop - work.start)[rows], of_work, len(tracks))
    least = np.full(len(tracks), ENDLESS)
    np.minimum.at(least, of_work, work.slack[rows])
    yield
    of_piece = np.searchsorted(tracks, on_path)[of_piece]
    return TrackSums(tracks, _sums(pieces.ticks[there], of_piece, len(tracks)), beside, least)


def _by_name(kind: Ints, name: Ints, ticks: Ints) -> tuple[NameSums, Ints]:
    """Sums by kind and name, and the row of each span among them."""
    names = int(name.max(initial=0)) + 2
    pairs, group = distinct(kind * names + name + 1)
    kinds, ids = np.divmod(pairs, names)
    sums = NameSums(kinds, ids - 1, _sums(ticks, group, len(pairs)), np.bincount(group, minlength=len(pairs)))
    return sums, group


def _sums(values: Ints, groups: Ints, count: int) -> WideSums:
    return WideSums.from_groups(np.ma.MaskedArray(values), groups, count)
