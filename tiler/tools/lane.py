"""Derived lanes: what a tool has to draw with a track in the timeline, in the bins of a view.

A lane is no track of the trace: nothing counts it. A tool says which lanes a run has, and answers for the bins of one;
transports and the viewer need no more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.lanes import CurveBins, LaneSlices, SliceBins, StepCurve
from tilescope.tiler.query import Interruptible
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.schema import Kind
from tilescope.tiler.tools.scope import Scope

Ints = NDArray[np.int64]

LaneKind = Literal["counter", "slices"]
LanePiece = StepCurve | LaneSlices

_KEY: Final = re.compile(r"[a-z0-9_-]{1,100}", re.ASCII)


@dataclass(frozen=True, slots=True)
class DerivedLane:
    """A derived lane of a run.

    `key` names it among those of its tool, and stays the same for a build, as numbers of tracks do: links have it.
    `track`: the track that it is drawn with. `makers`: tracks with the events that make it, where a click leads.
    `figure` is the kind of a counter's values; `rows` are those of slices: a question may be about the first of them
    alone (`overlap.scopes-2:3`), and is given the lane with so many.
    """

    key: str
    title: str
    track: int
    makers: Sequence[int]
    kind: LaneKind
    figure: Kind = "count"
    rows: int = 1

    def __post_init__(self) -> None:
        """Raises ValueError for a key that no link could have."""
        if not _KEY.fullmatch(self.key):
            raise ValueError(f"the key of a lane is small letters, digits, - and _, not {self.key[:40]!r}")


@dataclass(frozen=True, slots=True)
class LaneEvent:
    """An event that a lane shows at a tick, by track and ordinal; and the one that launched it, where there is one."""

    event: tuple[int, int]
    launch: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class LaneSource:
    """The lanes of a tool.

    `lanes` says which a run has, and reads little: it is asked before anything is drawn. `bins` has the figures of one
    of them between borders, shape (n + 1,) in ticks; of the run it reads what is between them, or cheap records of the
    rest. `pieces` has all of it that has a tick in a span, exactly, in pieces that follow one another: curves of a
    counter, or slices; None where whoever asks may stop. `events` are those behind what is shown at a tick, the next
    or latest first, at most some hundred thousand. `left_out` says, in words, which lanes may be missing. All may be
    interrupted where they yield, and raise UsageError, NotBuilt and DamagedStore.
    """

    lanes: Callable[[Scope], Interruptible[Sequence[DerivedLane]]]
    bins: Callable[[Scope, DerivedLane, Ints], Interruptible[CurveBins | SliceBins]]
    pieces: Callable[[Scope, DerivedLane, TickRange], Iterator[LanePiece | None]]
    events: Callable[[Scope, DerivedLane, int], Interruptible[Sequence[LaneEvent]]]
    left_out: Callable[[Scope], Interruptible[str]] | None = None
