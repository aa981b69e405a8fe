"""Chunks of events for the stages after the readers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from tilescope.tiler.columns import EventChunk, Phase


def chunk(
    time_ns: Sequence[int],
    *,
    track: Sequence[int] | None = None,
    phase: Sequence[Phase] | None = None,
    time_ps: Sequence[int] | None = None,
    duration_ns: Sequence[int] | None = None,
    duration_ps: Sequence[int] | None = None,
    name: Sequence[int] | None = None,
    key: Sequence[int] | None = None,
    value: Sequence[float] | None = None,
    args: Sequence[bytes] | None = None,
) -> EventChunk:
    """A chunk; what is not said is 0, or missing where it may be."""
    n = len(time_ns)

    def optional(column: Sequence[float] | None, dtype: DTypeLike) -> NDArray[Any] | None:
        return None if column is None else np.array(column, dtype)

    return EventChunk(
        np.array(track or [0] * n, np.int32),
        np.array(phase or [Phase.COMPLETE] * n, np.uint8),
        np.array(time_ns, np.int64),
        optional(time_ps, np.int16),
        np.array(duration_ns or [0] * n, np.int64),
        optional(duration_ps, np.int16),
        np.array(name or [0] * n, np.int32),
        optional(key, np.int64),
        optional(value, np.float64),
        np.zeros(n, np.uint8),
        np.cumsum([len(arg) for arg in args or [b""] * n]).astype(np.int64),
        np.frombuffer(b"".join(args or []), np.uint8),
    )
