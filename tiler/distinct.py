"""The different values of a column, and of each row which of them it has."""

from __future__ import annotations

from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

Number = TypeVar("Number", bound=np.signedinteger[Any])

# Values that lie closer than this, for each row, are found by their place among all that there may be: 40,000 codes in
# a tenth of the time that it takes to sort them.
_SPREAD: Final = 16


def distinct(values: NDArray[Number]) -> tuple[NDArray[Number], NDArray[np.int64]]:
    """As `numpy.unique` has them, ascending, with the inverse."""
    if not len(values):
        return values, np.zeros(0, np.int64)
    least, most = int(values.min()), int(values.max())
    if most - least >= _SPREAD * len(values):
        used, inverse = np.unique(values, return_inverse=True)
        return used, inverse.astype(np.int64)
    offsets = values.astype(np.int64) - least
    number = np.zeros(most - least + 1, np.int64)
    number[offsets] = 1
    there = np.flatnonzero(number)
    number[there] = np.arange(len(there))
    return (there + least).astype(values.dtype), number[offsets]
