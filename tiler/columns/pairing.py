"""Begin/end pairing: the BEGIN and END rows of one track become slices.

Rows are taken in the order (time, order in the file). With keys (async tracks), each key has a stack of its own. Rules:

* An END closes the innermost open slice that has its name. An END without a name closes the innermost one.
* An END whose name no open slice has closes the innermost one, and the slice is flagged RENAMED.
* So interleaved pairs (B a, B b, E a, E b) are matched by their names. They overlap; rows are made for that later.
* At one time, an END that names an earlier slice closes that one, wherever BEGINs of the same time stand in the file;
  a BEGIN followed in the file by its own END is a slice of length 0.
* A slice has the category of its BEGIN. Where that has none, it has that of an END of the same name.
* An END that finds nothing open is counted in `ends_without_begin` and makes no slice.
* A BEGIN without END is flagged OPEN. It ends where the innermost slice around it ends, or else at the trace's end.
  Around it are: the slice that was innermost when it began, and the complete slices that had begun and not ended then
  (of these, the one that ends first).
* Complete slices pass through as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import DTypeLike, NDArray

from tilescope.tiler import _native


class Namesakes(Struct, frozen=True):
    """Names that have one text and different categories: columns (n,) by name."""

    text: NDArray[np.int32]  # the first name that has its text
    has_category: NDArray[np.uint8]  # 0: it has none


class PairedSlices(Struct, frozen=True):
    """Slices of one track, in the order of the rows that begin them."""

    start: NDArray[np.int64]  # (n,) ticks
    duration: NDArray[np.int64]  # (n,) ticks, never negative
    name: NDArray[np.int32]  # (n,) that of the BEGIN, or of its END
    source: NDArray[np.int64]  # (n,) row that begins the slice: a BEGIN or COMPLETE
    end_source: NDArray[np.int64]  # (n,) row of its END, -1 where there is none
    flags: NDArray[np.uint8]  # (n,) EventFlag.OPEN and RENAMED; to be joined with the flags of `source`
    ends_without_begin: int
    begins_without_end: int
    renamed: int
    recategorised: int  # ends with the name of their begin and another category

    def __len__(self) -> int:
        return len(self.start)


def pair(
    time: NDArray[np.int64],
    duration: NDArray[np.int64],
    phase: NDArray[np.uint8],
    name: NDArray[np.int32],
    key: NDArray[np.int64] | None,
    trace_end: int,
    budget: _native.MemoryBudget | None = None,
    empty: Callable[[int, DTypeLike], NDArray[Any]] = np.empty,
    namesakes: Namesakes | None = None,
) -> PairedSlices:
    """Slices of one track's rows, given in file order (sorted or not). Rows that are no slice phases are passed over.

    All columns are (n,) and contiguous; times and `trace_end` are in ticks. `name` is -1 for an END without a name.
    Without `key`, all rows share one stack; without `namesakes`, no two names have one text. `empty` makes the arrays,
    and those that pairing works with.
    Raises ValueError when the columns differ in length,
    MemoryError when more are open at once than `budget` has room for.
    """
    by_name = (None, None) if namesakes is None else (namesakes.text, namesakes.has_category)
    pairing = _native.Pairing(time, duration, phase, name, key, trace_end, *by_name)
    dtypes = (np.int64, np.int64, np.int32, np.int64, np.int64, np.uint8)
    start, length, names, source, end_source, flags = (empty(pairing.slices, dtype) for dtype in dtypes)
    space = empty(pairing.space, np.int64)
    counts = pairing.pair(start, length, names, source, end_source, flags, space, budget)
    return PairedSlices(start, length, names, source, end_source, flags, *counts)
