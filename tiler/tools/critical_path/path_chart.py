"""Chart of a critical path: how much of each part of its time is of which kind."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np

from tilescope.tiler.facts.critical_path import KIND_TITLES, KIND_WORDS, CriticalPath, PathKind
from tilescope.tiler.tools.answer import Column, Series
from tilescope.tiler.windows import Windows

PARTS: Final = 100  # of a path: wider than a bar's name


def path_chart(path: CriticalPath) -> list[Series]:
    """Ticks of each kind in equal parts of a path, those of its last piece at the bottom; none of an empty path."""
    if path.stop <= path.start:
        return []
    count = min(PARTS, path.stop - path.start)
    # In Python's integers: times of long runs by a hundred exceed 64 bits.
    borders = [path.start + (path.stop - path.start) * part // count for part in range(count + 1)]
    pieces = path.pieces
    columns = []
    for kind in PathKind:
        is_kind = (pieces.kind == kind) & (pieces.stop > pieces.start)
        if is_kind.any():
            windows = Windows.from_spans(pieces.start[is_kind], pieces.stop[is_kind])
            ticks = np.diff(windows.ticks_before(np.array(borders, np.int64)))
            columns.append(Column(KIND_WORDS[kind], KIND_TITLES[kind], "ticks", ticks))
    spans = [f"{first}-{stop}" for first, stop in pairwise(borders)]
    time = Column("start", "Time", "time", borders[:-1], total="none")
    return [
        Series(
            "kinds", "Kinds over time", "area", time, columns, labels=Column("span", "Part of the path", "span", spans)
        )
    ]
