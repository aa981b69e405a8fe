"""Extents of the chunks of tables about memory, from their cells.

They are stored with the list of tables, so that a range reads the chunks that it needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.columns.memory_extents import (
    NO_SIZE,
    AllocationExtent,
    FillExtent,
    MemoryExtent,
    MemoryOwner,
    MomentExtent,
    Reach,
    SampleExtent,
    Stamp,
)
from tilescope.tiler.records.cell_values import MICROSECOND_DIGITS, CellTimes, has_number, header_times
from tilescope.tiler.records.cells import Cells
from tilescope.tiler.records.memory_cells import (
    ALLOCATIONS,
    DEVICES,
    KIBIBYTE,
    MEBIBYTE,
    cell_sizes,
    headers_named,
    release_times,
    rows_by_owner,
)
from tilescope.tiler.ticks import exact_sum

TIMESTAMP: Final = "timestamp"
COMPONENT: Final = "component"
SAMPLED: Final = ("totalallocated", "totalreserved")
BEGIN: Final = "allocationtime"
END: Final = "releasetime"
LENGTH: Final = "duration"
SIZE: Final = "size"

FILL_COLUMNS: Final = ((TIMESTAMP,), (COMPONENT,), DEVICES, *((plain,) for plain in SAMPLED))

MAX_OWNERS: Final = 64  # of a chunk whose extents are stored: those of more are found as they are needed

Mask = NDArray[np.bool_]
Ints = NDArray[np.int64]
EVER: Final = (0, 1 << 62)
_MOST_SUM: Final = 1 << 62  # bytes


def stored_extents(
    family: str, columns: Sequence[str], cells: Callable[[int], Cells]
) -> tuple[MemoryExtent, ...] | None:
    """The extents of a chunk as they are stored; None where they are found when they are needed.

    So it is where a chunk has many owners, or sums that are those of no memory.
    """
    extents = tuple(islice(memory_extents(family, columns, cells, EVER), MAX_OWNERS + 1))
    return extents if len(extents) <= MAX_OWNERS and all(extent.size_bytes < _MOST_SUM for extent in extents) else None


def extent_places(family: str, columns: Sequence[str]) -> frozenset[int]:
    """The places of the columns that extents are made of."""
    return frozenset(columns.index(header) for header in _headers(family, columns).values())


def memory_extents(
    family: str,
    columns: Sequence[str],
    cells: Callable[[int], Cells],
    reach: Reach,
    is_wanted: Callable[[MemoryOwner], bool] = lambda _: True,
) -> Iterator[MemoryExtent]:
    """The extents of the rows of a chunk whose times are in reach, in the order in which owners come first.

    `cells` are those of a column, by its place. Each is worked out when it is asked for: a chunk may have an owner for
    each row.
    """
    headers = _headers(family, columns)
    own = {plain: cells(columns.index(header)) for plain, header in headers.items()}
    yield from (_allocations if family == ALLOCATIONS else _fills)(headers, own, reach, is_wanted)


def _headers(family: str, columns: Sequence[str]) -> dict[str, str]:
    return allocation_headers(columns) if family == ALLOCATIONS else headers_named(columns, *FILL_COLUMNS)


def _fills(
    headers: dict[str, str], cells: dict[str, Cells], reach: Reach, is_wanted: Callable[[MemoryOwner], bool]
) -> Iterator[MemoryExtent]:
    if TIMESTAMP not in cells:
        return
    times = header_times(cells[TIMESTAMP], headers[TIMESTAMP], MICROSECOND_DIGITS)
    sizes = {plain: cell_sizes(cells[plain], headers[plain], MEBIBYTE) for plain in SAMPLED if plain in cells}
    drawn = {plain: has_number(cells[plain]) for plain in sizes}
    for (device, component), rows in rows_by_owner(
        np.flatnonzero(_in(times, reach)), cells.get(DEVICES[0]), cells.get(COMPONENT)
    ):
        if not is_wanted((device, component)):
            continue
        ns, ps = times.ns[rows], times.ps[rows]
        first, last = _extent(ns, ps)
        figures = []
        for plain in SAMPLED:
            figure = SampleExtent(first, last, NO_SIZE, 0)
            if plain in sizes:
                own, count = sizes[plain][rows], int(np.count_nonzero(drawn[plain][rows]))
                are_samples = own >= 0
                has_any = bool(are_samples.any())
                ends = _extent(ns[are_samples], ps[are_samples]) if has_any else (first, last)
                figure = SampleExtent(*ends, int(own.max()) if has_any else NO_SIZE, count)
            figures.append(figure)
        yield FillExtent((device, component), first, last, _is_ascending(ns, ps), *figures)


def _allocations(
    headers: dict[str, str], cells: dict[str, Cells], reach: Reach, is_wanted: Callable[[MemoryOwner], bool]
) -> Iterator[MemoryExtent]:
    times = allocation_times(headers, cells)
    if times is None:
        return
    begin, end = times
    is_made, is_freed = _in(begin, reach), _in(end, reach)
    size = np.zeros(len(begin.ns), np.int64)
    if SIZE in cells:
        size = allocation_sizes(cells[SIZE], headers[SIZE])
    for (device,), rows in rows_by_owner(np.flatnonzero(is_made | is_freed), cells.get(DEVICES[0])):
        if not is_wanted(device):
            continue
        made, freed = rows[is_made[rows]], rows[is_freed[rows]]
        ended = made[is_freed[made]]
        last_end = _extent(end.ns[ended], end.ps[ended])[1] if len(made) and len(ended) == len(made) else None
        sides = _moment(begin, size, made), _moment(end, size, freed)
        yield AllocationExtent(device, *sides, last_end)


def allocation_headers(columns: Sequence[str]) -> dict[str, str]:
    """The headers of what an allocation is, by plain names."""
    headers = headers_named(columns, (BEGIN,), (END,), (LENGTH,), (SIZE,), DEVICES)
    if END in headers:  # msprof writes durations alone
        headers.pop(LENGTH, None)
    return headers


def allocation_times(headers: dict[str, str], cells: dict[str, Cells]) -> tuple[CellTimes, CellTimes] | None:
    """Times at which what a chunk has is allocated, and freed; None without a column that says it."""
    begin, end, length = (
        header_times(cells[plain], headers[plain], MICROSECOND_DIGITS) if plain in cells else None
        for plain in (BEGIN, END, LENGTH)
    )
    if begin is None and end is None:
        return None
    if begin is None:
        assert end is not None
        begin = CellTimes(end.ns, end.ps, np.zeros(len(end.ns), np.bool_))
    return begin, release_times(begin, end, length)


def allocation_sizes(cells: Cells, header: str) -> Ints:
    """Bytes without their sign, -1 where a cell is none: some versions write what is freed as negative."""
    sizes = cell_sizes(cells, header, KIBIBYTE)
    return np.where(sizes == NO_SIZE, -1, np.abs(sizes))


def _moment(times: CellTimes, size: Ints, rows: Ints) -> MomentExtent | None:
    if not len(rows):
        return None
    return MomentExtent(*_extent(times.ns[rows], times.ps[rows]), len(rows), exact_sum(np.maximum(size[rows], 0)))


def _in(times: CellTimes, reach: Reach) -> Mask:
    within: Mask = times.fits & (times.ns >= reach[0]) & (times.ns < reach[1])
    return within


def _extent(ns: Ints, ps: Ints) -> tuple[Stamp, Stamp]:
    """The first and the last of some times."""
    first, last = int(ns.min()), int(ns.max())
    return (first, int(ps[ns == first].min())), (last, int(ps[ns == last].max()))


def _is_ascending(ns: Ints, ps: Ints) -> bool:
    is_later = ns[1:] > ns[:-1]
    return bool((is_later | ((ns[1:] == ns[:-1]) & (ps[1:] >= ps[:-1]))).all())
