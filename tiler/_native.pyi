"""What the compiled module offers, one section per bind_*.cpp."""

import numpy as np
from numpy.typing import NDArray

# bind_pairing.cpp

def pair_slices(
    time: NDArray[np.int64],
    duration: NDArray[np.int64],
    phase: NDArray[np.uint8],
    name: NDArray[np.int32],
    key: NDArray[np.int64] | None,
    trace_end: int,
) -> tuple[
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.int32],
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.uint8],
    int,
    int,
    int,
]: ...
