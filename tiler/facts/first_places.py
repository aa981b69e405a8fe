"""The places of the least values of a column, in order, without sorting all of it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def first_places(values: NDArray[Any], limit: int) -> NDArray[np.int64]:
    """As a stable argsort has them, at most `limit`: of equal values the first."""
    if limit >= len(values):
        return np.argsort(values, kind="stable")
    candidates = np.flatnonzero(values <= np.partition(values, limit)[limit])
    return candidates[np.argsort(values[candidates], kind="stable")][:limit]
