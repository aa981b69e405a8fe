"""Chunks of flow ends as a trace-event file has them: what an export writes. See docs/page-format.md."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import container
from tilescope.tiler.pages.columns import Col
from tilescope.tiler.records.record import Available, Record

Ints = NDArray[np.int64]

CHUNK_ENDS: Final = 8192


WRITTEN_FLOWS = Record(
    "f",
    "carrier end",
    "carrier {carrier}: flow ends from number {end} on",
    Available.AT_END,
    doc="flow ends of a thread as its trace-event file has them, for an export that equals the file",
    proof="that they are complete and in order: what the file said is known to nobody else",
)
WRITTEN_FLOW_ARGUMENTS = Record(
    "a",
    "carrier end",
    "carrier {carrier}: their arguments from number {end} on",
    Available.AT_END,
    doc="the arguments of these flow ends",
    proof="that they are complete: what the file said is known to nobody else",
)


class WrittenFlows(Struct, frozen=True):
    """Flow ends of one thread, columns of shape (n,), in the order (tick, order in the file)."""

    tick: Ints
    phase: Ints | NDArray[np.uint8]  # columns.Phase: FLOW_START, FLOW_STEP or FLOW_END
    name: Ints | NDArray[np.int32]  # name id

    def __len__(self) -> int:
        return len(self.tick)

    def chunks(self) -> Iterator[tuple[int, WrittenFlows]]:
        """The ends in chunks, each with the number of its first."""
        for first in range(0, len(self), CHUNK_ENDS):
            part = slice(first, first + CHUNK_ENDS)
            yield first, WrittenFlows(self.tick[part], self.phase[part], self.name[part])

    def encode(self, carrier: int) -> bytes:
        """A column container, not compressed."""
        columns: dict[int, Ints] = {column: getattr(self, name).astype(np.int64) for name, column in _COLUMNS.items()}
        return container.encode(container.WRITTEN_FLOWS_MAGIC, 0, len(self), carrier, columns)

    @classmethod
    def decode(cls, data: bytes, carrier: int) -> WrittenFlows:
        """The flow ends in a chunk of this carrier. Raises DamagedStore."""
        chunk = container.decode(data)
        if chunk.magic != container.WRITTEN_FLOWS_MAGIC or chunk.block != carrier:
            raise DamagedStore(f"a record is no chunk of flow ends of carrier {carrier}")
        columns = {name: chunk.ints(column) for name, column in _COLUMNS.items()}
        if not chunk.n_tiles or any(len(values) != chunk.n_tiles for values in columns.values()):
            raise DamagedStore(f"a chunk of flow ends of carrier {carrier} has columns of different lengths")
        return cls(**columns)


_COLUMNS: Final = {
    "tick": Col.WRITTEN_FLOW_TICK,
    "phase": Col.WRITTEN_FLOW_PHASE,
    "name": Col.WRITTEN_FLOW_NAME,
}
