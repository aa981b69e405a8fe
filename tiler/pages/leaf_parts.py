"""Parts of leaves: what windows of a track have in common with its leaves, and how native code is given them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages.columns import Col
from tilescope.tiler.pages.container import MAX_ROWS, PAGE_MAGIC
from tilescope.tiler.pages.shape import Shape
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]


class PartReader(Protocol):
    """Native code that reads parts of the leaves of a page."""

    def __call__(
        self, page: bytes, max_rows: int, tile: Ints, index: Ints, slot: Ints, first: Ints, stop: Ints, /
    ) -> None: ...


def leaf_parts(shape: Shape, leaves: Ints, windows: Windows) -> Ints:
    """Intersections of leaves and windows, shape (3, n): the leaf, first tick, first tick after it."""
    shift = 2 * shape.level[leaves] + 8
    first, stop = shape.index[leaves] << shift, (shape.index[leaves] + 1) << shift
    low = np.searchsorted(windows.stops, first, side="right")
    counts = np.maximum(np.searchsorted(windows.starts, stop) - low, 0)
    leaf = np.repeat(np.arange(len(leaves)), counts)
    window = low[leaf] + np.arange(len(leaf)) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.stack(
        (
            leaves[leaf],
            np.maximum(first[leaf], windows.starts[window]),
            np.minimum(stop[leaf], windows.stops[window]),
        )
    )


def read_parts(reader: PartReader, page: bytes, shape: Shape, first_of_page: int, parts: Ints) -> None:
    """Has parts of leaves of a page read: positions of tiles in the shape, ascending, their first and last ticks.

    `page` is uncompressed, and begins with the tile in position `first_of_page`. Raises DamagedStore.
    """
    tiles, first, stop = np.ascontiguousarray(parts)
    with _page_of(shape, first_of_page, page):
        reader(page, MAX_ROWS, tiles - first_of_page, shape.index[tiles], shape.slot[tiles], first, stop)


@dataclass(frozen=True, slots=True)
class LeafStarts:
    """Slices of one track, columns of shape (n,): ordinals, and the ticks at which they start."""

    ordinal: Ints
    start: Ints


def leaf_starts(page: bytes, shape: Shape, first_of_page: int, leaves: Ints) -> LeafStarts:
    """The slices that start in some leaves of a page, which are positions in the shape. Raises DamagedStore."""
    return LeafStarts(*leaf_slices(page, shape, first_of_page, leaves, (Col.ORDINAL, Col.START)).columns)


class LeafColumns(NamedTuple):
    """Slices of some leaves, leaf by leaf: columns as they were asked for, and how many of each leaf."""

    columns: Sequence[Ints]
    counts: Ints


def leaf_slices(
    page: bytes, shape: Shape, first_of_page: int, leaves: Ints, columns: Sequence[Col], *, reaching: bool = False
) -> LeafColumns:
    """Columns of the slices that start in some leaves of a page; with `reaching` of those that reach in, too.

    Nothing else is decoded. Raises DamagedStore.
    """
    with _page_of(shape, first_of_page, page):
        counts, values = _native.leaf_slices(
            page, MAX_ROWS, leaves - first_of_page, shape.index[leaves], shape.slot[leaves], list(columns), reaching
        )
    return LeafColumns(values, counts)


@contextmanager
def _page_of(shape: Shape, first_of_page: int, page: bytes) -> Iterator[None]:
    """Has what is no page, or another one, be DamagedStore."""
    if page[:4] != PAGE_MAGIC:
        raise DamagedStore(f"{shape.page_at(first_of_page).text()}: a record that should be a page is something else")
    try:
        yield
    except _native.DamagedContainer as error:
        raise damaged_page(shape, first_of_page, error) from None


def damaged_page(shape: Shape, first_of_page: int, error: _native.DamagedContainer) -> DamagedStore:
    """The error for a page that begins with the tile in this position, with its place."""
    return DamagedStore(f"{shape.page_at(first_of_page).text()}: {error}")
