"""Records of the executions of graphs on a device's track: CUDA graphs, and command buffers of XLA.

All kernels of a graph carry the name of the graph in place of their instruction. Which instruction each of them runs
follows from their order, so the record has each order once, and where executions of it begin. See docs/page-format.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgpack
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.records.record import Available, Record

Ints = NDArray[np.int64]

_INT64: Final = np.dtype("<i8")

GRAPH_EXECUTIONS = Record(
    "g",
    "track",
    "the executions of graphs on track {track}",
    Available.WITH_TRACK,
    doc="of each execution of a CUDA graph or a command buffer the order of its operations; of tracks that have any",
    proof="arguments, by the maker that wrote them",
)


class GraphExecutions(Struct, frozen=True):
    """Executions of graphs on a track. A pattern is the kinds of the operations of an execution, in their order."""

    patterns: Sequence[Ints]  # places in `TrackKinds.kinds`, of one graph; no two alike
    first: Ints  # ordinal of the first operation of each execution, ascending
    pattern: Ints  # place of its pattern
    is_cut: bool  # there were more executions, or longer ones, than are kept

    def encode(self) -> bytes:
        """A msgpack map, not compressed."""
        kinds = np.concatenate([np.zeros(0, np.int64), *self.patterns])
        columns = {
            "kinds": kinds,
            "sizes": np.array([len(pattern) for pattern in self.patterns], np.int64),
            "first": self.first,
            "pattern": self.pattern,
        }
        packed: bytes = msgpack.packb(
            {"is_cut": self.is_cut, **{name: column.astype(_INT64).tobytes() for name, column in columns.items()}}
        )
        return packed

    @classmethod
    def decode(cls, data: bytes, kind_count: int) -> GraphExecutions:
        """The inverse, for a track with so many kinds. Raises DamagedStore."""
        try:
            packed = msgpack.unpackb(data)
            kinds, sizes, first, pattern = (
                np.frombuffer(packed[name], _INT64).astype(np.int64) for name in ("kinds", "sizes", "first", "pattern")
            )
            is_cut = bool(packed["is_cut"])
        except (ValueError, TypeError, LookupError, msgpack.UnpackException) as error:
            raise DamagedStore(f"executions of graphs that make no sense: {error}") from error
        # A size beyond the number of kinds would wrap around in a sum.
        if len(sizes) and not 0 < int(sizes.min()) <= int(sizes.max()) <= len(kinds):
            raise DamagedStore("executions of graphs have an order without operations")
        if int(sizes.sum()) != len(kinds) or (
            len(kinds) and not 0 <= int(kinds.min()) <= int(kinds.max()) < kind_count
        ):
            raise DamagedStore("executions of graphs have other kinds of operations than their track")
        if len(first) != len(pattern) or (
            len(pattern) and not 0 <= int(pattern.min()) <= int(pattern.max()) < len(sizes)
        ):
            raise DamagedStore("executions of graphs have orders that there are not")
        if len(first) and (int(first[0]) < 0 or bool((np.diff(first) < sizes[pattern[:-1]]).any())):
            raise DamagedStore("executions of graphs overlap")
        return cls(np.split(kinds, np.cumsum(sizes)[:-1]) if len(sizes) else [], first, pattern, is_cut)
