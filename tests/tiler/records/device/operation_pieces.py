"""Operations of a track, made up, as the builder passes them on: a piece after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tilescope.tiler.records.device.operations import Operations


class Op(NamedTuple):
    """One of a track."""

    start: int
    ticks: int
    kind: int
    parent: int
    ps: int
    number: int  # what it says of a stat; -1: nothing


def pieces(of: Sequence[Op], cut: int, stat: str) -> list[tuple[Operations, np.ndarray, np.ndarray]]:
    """The operations, with starts and durations, in two pieces, of which one may be empty."""
    found = []
    for some in (of[:cut], of[cut:]):
        if some:
            start, ticks, kind, parent, ps, said = (np.array(column, np.int64) for column in zip(*some, strict=True))
            told = np.flatnonzero(said >= 0)
            numbers = {stat: said[told]} if len(told) else {}
            found.append((Operations(kind, parent, ps, told, numbers), start, ticks))
    return found
