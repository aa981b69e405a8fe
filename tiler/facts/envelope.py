"""Curves with fewer points, that still have every height and depth of the whole."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def envelope(x: Ints, y: Ints, most: int) -> Ints:
    """Indices of points to keep of a curve whose x ascend, about `most`: the first and the last, and of spans of equal
    length the last of the highest and of the lowest.
    """
    width = (int(x[-1]) - int(x[0])) // (most // 2) + 1
    borders = np.append(np.flatnonzero(np.diff((x - x[0]) // width, prepend=-1)), len(x))
    firsts = borders[:-1]
    span_of_point = np.repeat(np.arange(len(firsts)), np.diff(borders))
    chosen = [np.array([0, len(x) - 1])]
    for reduce in (np.maximum, np.minimum):
        places = np.flatnonzero(y == reduce.reduceat(y, firsts)[span_of_point])
        last = np.append(np.diff(span_of_point[places]) > 0, True)
        chosen.append(places[last])
    return np.unique(np.concatenate(chosen))


def shared_envelope(curves: Sequence[Ints], most: int) -> Ints:
    """Indices of points to keep of several curves over the same x, about `most`; a shorter one ends before the others.

    At least one curve, none of them empty.
    """
    share = max(most // len(curves), 2)
    return np.unique(np.concatenate([envelope(np.arange(len(curve)), curve, share) for curve in curves]))
