"""How often kinds of operations start in the steps of their device, and what custom calls say there that they do.

Steps of a training run are alike: only what differs from one to the next is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler.pages.columns import Col

Ints = NDArray[np.int64]

# Steps times kinds, of a track that has such counts: steps are compared kind by kind, 0.1 s for so many.
MAX_COMPARED: Final = 1 << 27


class KindCounts(Struct, frozen=True):
    """Counts that are others than in the step before, shape (c,), by step and then by kind; before the first all are 0.

    And sums of what custom calls say in a step, shape (s,), by step, kind and what it is, each once; and what steps
    have of events that their borders cut, shape (p,), by step: the ticks [first, last) of an event of so many.
    """

    step: Ints
    kind: Ints
    count: Ints

    said_step: Ints
    said_kind: Ints
    said_what: Ints  # place in `SAID`
    said: Ints

    cut_step: Ints
    cut_kind: Ints
    cut_first: Ints
    cut_last: Ints
    cut_length: Ints

    def columns(self) -> dict[int, Ints]:
        """As they stand in the record of the sums."""
        return {int(column): getattr(self, name) for name, column in KIND_COUNT_COLUMNS.items()}

    @classmethod
    def of(cls, columns: Mapping[str, Ints], steps: int) -> KindCounts | None:
        """Those with these columns, by name, of so many steps; None: they make no sense."""
        found = cls(**columns)
        return found if found._makes_sense(steps) else None

    def _makes_sense(self, steps: int) -> bool:
        """Kinds are looked at by those who know how many there are."""
        changes, said = (self.step, self.kind, self.count), (self.said_step, self.said_kind, self.said_what, self.said)
        cut = self.cut_step, self.cut_kind, self.cut_first, self.cut_last, self.cut_length
        return (
            all(len({len(of) for of in columns}) == 1 for columns in (changes, said, cut))
            and all(int(of.min(initial=0)) >= 0 for of in (*changes, *said, *cut))
            and all(int(of.max(initial=-1)) < steps for of in (self.step, self.said_step, self.cut_step))
            and bool(((self.cut_first < self.cut_last) & (self.cut_last <= self.cut_length)).all())
            and int(self.said_what.max(initial=-1)) < len(SAID)
            and bool((np.diff(self.step) >= 0).all())
        )


# What operations may say themselves of what they do.
SAID: Final = ("flops", "model_flops", "bytes_accessed")

KIND_COUNT_COLUMNS: Final[Mapping[str, Col]] = {
    "step": Col.CHANGED_STEP,
    "kind": Col.CHANGED_KIND,
    "count": Col.CHANGED_COUNT,
    "said_step": Col.SAID_STEP,
    "said_kind": Col.SAID_KIND,
    "said_what": Col.SAID_WHAT,
    "said": Col.SAID_SUM,
    "cut_step": Col.CUT_STEP,
    "cut_kind": Col.CUT_KIND,
    "cut_first": Col.CUT_FIRST,
    "cut_last": Col.CUT_LAST,
    "cut_length": Col.CUT_LENGTH,
}
