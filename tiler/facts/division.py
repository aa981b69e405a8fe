"""Division of a device's time: computation, communication and copies that nothing hides, and idle time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tilescope.tiler.facts.busy import Busy, Piece, UnsortedPiece, WorkSpans
from tilescope.tiler.store.two_threads import worked_aside
from tilescope.tiler.windows import Windows


@dataclass(frozen=True, slots=True)
class Division:
    """A piece of a device's time. `exposed`: no two kinds share a tick; with `idle` they are all of `windows`.

    `work` is all of each kind.
    """

    windows: Windows
    work: WorkSpans
    exposed: WorkSpans
    idle: Windows


def divisions(busy: Busy, windows: Windows) -> Iterator[Division | None]:
    """Pieces that make up some windows, by time; None where whoever asks may stop. Raises DamagedStore."""
    yield from worked_aside(busy.unsorted_pieces(windows), _divided)


def _divided(piece: UnsortedPiece) -> Division:
    return divided(piece.sorted())


def divided(piece: Piece) -> Division:
    """A piece of the time of one device."""
    work = piece.work
    alone, idle = piece.windows.divided(work.kinds)
    return Division(piece.windows, work, WorkSpans(*alone), idle)
