"""Records of the sums of a track's operations in the steps of its device: what whole steps are made of, and do.

They are made while the operations are written, so that the first question need not read all of these. See
docs/page-format.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import msgpack
import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import container
from tilescope.tiler.pages.columns import Col
from tilescope.tiler.records.device.kind_counts import KIND_COUNT_COLUMNS, KindCounts
from tilescope.tiler.records.record import Available, Record

Ints = NDArray[np.int64]

# A device whose lines of steps have more slices has no such sums: real captures have some hundred.
MAX_STEPS: Final = 1 << 16

# Nor have tracks with more sums, zeros among them, or more pieces of operations that are all-reduces: 8 and 32 MB.
MAX_SUMS: Final = 1 << 20


STEP_SUMS = Record(
    "Z",
    "track",
    "the sums in steps of the operations of track {track}",
    Available.WITH_TRACK,
    doc="the operations of a track by step of its device and category",
    proof="the operations, added up by a second implementation",
)


@dataclass(frozen=True, slots=True)
class StepSums:
    """Steps are windows that share no time, ascending: columns of shape (n,). They cut what operations take."""

    start: Ints  # ticks
    stop: Ints
    busy_at_start: Ints  # ticks before the step in which any event of the track runs
    busy_at_stop: Ints  # ticks before its end
    categories: tuple[str, ...]  # of the metadata; "" without one

    # Sums that are not 0, shape (m,), by step and then by category.
    step: Ints  # place of the step
    category: Ints  # place of the category
    own: Ints  # ps, without what lies directly in them

    # All-reduces, shape (r,), by step, category and id, each once.
    reduce_step: Ints
    reduce_category: Ints
    reduce_id: Ints
    reduce_ps: Ints

    counts: KindCounts | None = field(default=None, kw_only=True)  # None: they are not kept

    def __len__(self) -> int:
        return len(self.start)

    def encode(self, track: int) -> bytes:
        """A msgpack map, not compressed."""
        columns: dict[int, Ints] = {int(column): getattr(self, name) for name, column in _COLUMNS.items()}
        columns |= {} if self.counts is None else self.counts.columns()
        sums = container.encode(container.STEP_SUMS_MAGIC, 0, len(self), track, columns)
        packed: bytes = msgpack.packb(
            {"categories": list(self.categories), "counted": self.counts is not None, "sums": sums}
        )
        return packed

    @classmethod
    def decode(cls, data: bytes, track: int) -> StepSums:
        """The sums in a record of this track. Raises DamagedStore."""
        try:
            packed = msgpack.unpackb(data)
            categories, sums = tuple(map(str, packed["categories"])), bytes(packed["sums"])
            is_counted = bool(packed["counted"])
        except (ValueError, TypeError, LookupError, msgpack.UnpackException) as error:
            raise DamagedStore(f"sums in steps of track {track} that make no sense: {error}") from error
        record = container.decode(sums)
        if record.magic != container.STEP_SUMS_MAGIC or record.block != track:
            raise DamagedStore(f"a record holds no sums in steps of the operations of track {track}")
        columns = {name: record.ints(column) for name, column in _COLUMNS.items()}
        told = {name: record.ints(column) for name, column in KIND_COUNT_COLUMNS.items()}
        counts = KindCounts.of(told, record.n_tiles) if is_counted else None
        found = cls(categories=categories, counts=counts, **columns)
        if not found._makes_sense(record.n_tiles) or (is_counted and counts is None):
            raise DamagedStore(f"the sums in steps of the operations of track {track} make no sense")
        return found

    def _makes_sense(self, steps: int) -> bool:
        categories = len(self.categories)
        return (
            {len(of) for of in (self.start, self.stop, self.busy_at_start, self.busy_at_stop)} == {steps}
            and bool((self.start < self.stop).all() and (self.start[1:] >= self.stop[:-1]).all())
            and len({len(of) for of in (self.step, self.category, self.own)}) == 1
            and len({len(of) for of in (self.reduce_step, self.reduce_category, self.reduce_id, self.reduce_ps)}) == 1
            and all(_are_below(of, steps) for of in (self.step, self.reduce_step))
            and all(_are_below(of, categories) for of in (self.category, self.reduce_category))
        )


def _are_below(places: Ints, count: int) -> bool:
    return int(places.min(initial=0)) >= 0 and int(places.max(initial=-1)) < count


_COLUMNS: Final[Mapping[str, Col]] = {
    "start": Col.WINDOW_START,
    "stop": Col.WINDOW_STOP,
    "busy_at_start": Col.BUSY_AT_START,
    "busy_at_stop": Col.BUSY_AT_STOP,
    "step": Col.OWN_STEP,
    "category": Col.OWN_CATEGORY,
    "own": Col.OWN_TIME,
    "reduce_step": Col.REDUCE_STEP,
    "reduce_category": Col.REDUCE_CATEGORY,
    "reduce_id": Col.REDUCE_ID,
    "reduce_ps": Col.REDUCE_TIME,
}
