"""Joins flow ends of equal key to edges: start, steps, ends.

Ends of a key are taken in the order (time, starts before steps before ends, order in the file). A step or an end is
joined to the last start or step before it. So one start may have several ends (fan-out), a step hands the flow on, and
a second start of the same key begins a new flow. An end that lies before the only start of its key is joined to that
start all the same: clocks of hosts and devices differ (in traces of Ascend devices by tens of microseconds).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler import _native

Ints = NDArray[np.int64]


class JoinedFlows(Struct, frozen=True):
    """Edges as positions of flow ends, those of a key together."""

    source: NDArray[np.uint32]  # (edges,) a start or step
    target: NDArray[np.uint32]  # (edges,) a step or end
    starts_without_end: int  # starts and steps from which nothing follows
    ends_without_start: int  # steps and ends before which there is nothing
    without_id: int  # ends of no key: they belong to no flow

    @classmethod
    def together(cls, shares: Sequence[JoinedFlows]) -> JoinedFlows:
        """All shares, in order: the edges are the same for any number of shares."""
        if len(shares) == 1:
            return shares[0]
        return cls(
            np.concatenate([share.source for share in shares]),
            np.concatenate([share.target for share in shares]),
            sum(share.starts_without_end for share in shares),
            sum(share.ends_without_start for share in shares),
            sum(share.without_id for share in shares),
        )

    def __len__(self) -> int:
        return len(self.source)


def join_flows(phase: NDArray[np.uint8], tick: Ints, key: Ints, share: int = 0, shares: int = 1) -> JoinedFlows:
    """The edges between flow ends, given as columns of shape (n,). A key of -1 is none.

    Those of one of so many shares of the keys, which threads may join side by side.
    """
    return JoinedFlows(*_native.join_flows(phase, tick, key, share, shares))
