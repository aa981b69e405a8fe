"""Records of the sums of a track's operations, by kind: what a question about the whole run needs of them.

They are made while the operations are written, so that the first question need not read all of these. See
docs/page-format.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import container
from tilescope.tiler.pages.columns import Col
from tilescope.tiler.records.device.xla_words import DMA_STALL
from tilescope.tiler.records.record import Available, Record

Ints = NDArray[np.int64]

# Numbers of operations that are added up, by the stat that they are.
SUMMED: Final[Mapping[str, Col]] = {
    DMA_STALL: Col.SUM_STALL,
    "flops": Col.SUM_FLOPS,
    "model_flops": Col.SUM_MODEL_FLOPS,
    "bytes_accessed": Col.SUM_BYTES,
}


OPERATION_SUMS = Record(
    "Y",
    "track",
    "the sums of operations of track {track}",
    Available.WITH_TRACK,
    doc="the operations of a track by kind: how many, how long, how much of it by themselves",
    proof="the operations, added up by a second implementation",
)


class OperationSums(Struct, frozen=True):
    """Of all operations of a track, columns of shape (n,) by kind."""

    count: Ints
    total: Ints  # ps
    inner: Ints  # of those that lie directly in one of the kind, ps
    longest: Ints  # ps, -1 without operations
    longest_at: Ints  # the first event that takes so long, -1
    empty: Ints  # those that take no time
    shortest_lasting: Ints  # the least duration of the others, ps; -1
    alone: Ints  # 1: no event of the kind shares a tick with another event of the track
    busy_ticks: int  # in which any event of the track runs
    numbers: Mapping[str, Ints] = field(default_factory=dict)  # of `SUMMED`, those that any operation has

    def __len__(self) -> int:
        return len(self.count)

    def encode(self, track: int) -> bytes:
        """A column container, not compressed."""
        columns: dict[int, Ints] = {
            **{int(column): getattr(self, name) for name, column in _COLUMNS.items()},
            **{int(SUMMED[name]): values for name, values in self.numbers.items()},
            int(Col.BUSY_TICKS): np.array([self.busy_ticks], np.int64),
        }
        return container.encode(container.OPERATION_SUMS_MAGIC, 0, len(self), track, columns)

    @classmethod
    def decode(cls, data: bytes, track: int) -> OperationSums:
        """The sums in a record of this track. Raises DamagedStore."""
        record = container.decode(data)
        if record.magic != container.OPERATION_SUMS_MAGIC or record.block != track:
            raise DamagedStore(f"a record holds no sums of the operations of track {track}")
        columns = {name: record.ints(column) for name, column in _COLUMNS.items()}
        numbers = {name: record.ints(column) for name, column in SUMMED.items() if column in record.columns}
        busy = record.ints(Col.BUSY_TICKS)
        if len(busy) != 1 or any(len(of) != record.n_tiles for of in (*columns.values(), *numbers.values())):
            raise DamagedStore(f"sums of the operations of track {track} have columns of different lengths")
        return cls(**columns, busy_ticks=int(busy[0]), numbers=numbers)


_COLUMNS: Final[Mapping[str, Col]] = {
    "count": Col.SUM_COUNT,
    "total": Col.SUM_DURATION,
    "inner": Col.SUM_INNER,
    "longest": Col.SUM_LONGEST,
    "longest_at": Col.SUM_LONGEST_AT,
    "empty": Col.SUM_EMPTY,
    "shortest_lasting": Col.SUM_SHORTEST,
    "alone": Col.SUM_ALONE,
}
