"""The overview layer: how busy all tracks are, by time first, so that a run is one scan. See docs/page-format.md."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler import _native, schema
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages.columns import Col
from tilescope.tiler.pages.container import OVERVIEW_MAGIC, decode, encode
from tilescope.tiler.records.record import Available, Record

Ints = NDArray[Any]  # of any width

BINS_PER_PAGE = 32
FULL = 255  # utilisation of a bin that is busy from end to end

_COLUMNS = (Col.OVERVIEW_BIN, Col.OVERVIEW_TRACK, Col.UTILISATION, Col.OVERVIEW_NAME)


OVERVIEW = Record(
    "O",
    "page",
    "the page of the overview {page}",
    Available.AT_ONCE,
    doc="how busy each track is in each bin of the run, and with what",
    proof="the tiles of the tracks, once these are proven",
)


class OverviewGrid(Struct, frozen=True):
    """The bins of a run's overview: of one level, from tick 0 on."""

    level: int
    bins: int

    @classmethod
    def of(cls, end: int) -> OverviewGrid:
        """That of a run whose last event ends at tick `end`: 257 to 1,024 bins unless it is very short."""
        level = max(0, _native.root_level(end) - 1)
        return cls(level, (end >> (2 * level)) + 1)

    @property
    def pages(self) -> int:
        """How many pages there are."""
        return -(-self.bins // BINS_PER_PAGE)

    def told(self) -> schema.OverviewGrid:
        """As the manifest has it."""
        return schema.OverviewGrid(level=self.level, bins=self.bins, bins_per_page=BINS_PER_PAGE, pages=self.pages)


class OverviewEntries(Struct, frozen=True):
    """Columns of shape (n,), in the order (bin, track). Bins of a track in which there is nothing are left out."""

    bin: Ints  # in the run
    track: Ints
    utilisation: Ints  # 1 to 255
    name: Ints  # id of the dominant name, -1 none

    def __len__(self) -> int:
        return len(self.bin)

    @classmethod
    def join(cls, parts: Sequence[OverviewEntries]) -> OverviewEntries:
        """All parts in one, in order."""
        some = parts or [cls(*[np.zeros(0, np.int64)] * len(_COLUMNS))]
        columns = [np.concatenate([getattr(part, name) for part in some]) for name in cls.__struct_fields__]
        order = np.lexsort([columns[1], columns[0]])
        return cls(*(column.take(order) for column in columns))

    def page(self, number: int) -> OverviewEntries:
        """Those of one page."""
        first, last = np.searchsorted(self.bin, [number * BINS_PER_PAGE, (number + 1) * BINS_PER_PAGE]).tolist()
        return OverviewEntries(*(getattr(self, name)[first:last] for name in self.__struct_fields__))

    def encode(self, level: int, number: int) -> bytes:
        """A page of the overview, uncompressed."""
        columns = (self.bin - number * BINS_PER_PAGE, self.track, self.utilisation, self.name)
        return encode(OVERVIEW_MAGIC, level, len(self), number, dict(zip(_COLUMNS, columns, strict=True)))

    @classmethod
    def decode(cls, data: bytes, level: int, number: int) -> OverviewEntries:
        """The entries in an uncompressed page. Raises DamagedStore."""
        page = decode(data)
        columns = [page.ints(column) for column in _COLUMNS]
        if (page.magic, page.level, page.block) != (OVERVIEW_MAGIC, level, number):
            raise DamagedStore(f"a record is not page {number} of the overview")
        if {len(column) for column in columns} != {page.n_tiles}:
            raise DamagedStore(f"page {number} of the overview has columns of different lengths")
        return cls(columns[0] + number * BINS_PER_PAGE, *columns[1:])
