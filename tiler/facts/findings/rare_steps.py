"""The time that few steps have beyond the usual: what happens now and then, apart from what each step has."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

# Excess over the median step, as a part of the mean step, that makes a step one of those that are longer.
_EXCESS: Final = 0.03


def split_rare(amount: Ints, mean_step: float) -> tuple[Ints, Ints]:
    """Excess over the median step in the steps that have it, if these are fewer than half of them, and the rest.

    Shapes (devices, steps), as that of `amount`.
    """
    if amount.shape[1] < 2:
        return np.zeros_like(amount), amount
    median = np.median(amount, axis=1, keepdims=True).astype(np.int64)
    excess = np.maximum(amount - median, 0)
    is_rare = excess > np.maximum(_EXCESS * mean_step, median)
    is_rare &= (is_rare.sum(axis=1) * 2 < amount.shape[1])[:, None]
    rare = np.where(is_rare, excess, 0)
    return rare, amount - rare
