"""Arguments of events in another order."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.indexing.scratch import Scratch

Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]


def gather_args(
    scratch: Scratch, args_end: Ints, args: Bytes, order: Ints, behind: Ints | None = None
) -> tuple[Ints, Bytes]:
    """The strings that `order` names, one behind the other, as their ends and bytes.

    String k is args[args_end[k-1]:args_end[k]]. `behind` names others, -1 none, that are added each to one of these.
    """
    ends = cast(Ints, scratch.empty(len(order), np.int64))
    out = cast(Bytes, scratch.empty(_native.gather_ends(args_end, len(args), order, ends, behind), np.uint8))
    _native.gather_into(args_end, args, order, ends, out, behind)
    return ends, out
