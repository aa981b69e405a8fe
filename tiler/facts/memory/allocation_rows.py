"""Allocations of tables about memory: of operators, on one device each, with what frees them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.ascend.headers import column_named, texts_named
from tilescope.tiler.facts.distinct import distinct
from tilescope.tiler.facts.memory.fill_rows import MAX_OWNERS
from tilescope.tiler.facts.memory.table_columns import (
    DEVICES,
    KIBIBYTE,
    MEBIBYTE,
    NO_SIZE,
    NO_TICK,
    Ints,
    by_time,
    device_name,
    sizes_named,
    ticks_named,
)
from tilescope.tiler.facts.tables import RunTable
from tilescope.tiler.query import Interruptible, QueryReader

ALLOCATIONS: Final = "operator_memory"

_MOST_SMALL: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class AllocationRows:
    """Allocations and frees on a device, by time: columns (n,), bytes, NO_SIZE where there is none."""

    device: str
    words: Sequence[str]
    tick: Ints
    is_free: NDArray[np.bool_]
    size: Ints
    operation: NDArray[np.int32]  # place in `words`
    replaced: NDArray[np.int32]  # of an allocation: the event that frees it, n if there is none
    allocated: Ints  # in all, after the event
    reserved: Ints
    active: Ints

    def __len__(self) -> int:
        return len(self.tick)


def allocation_rows(
    reader: QueryReader, table: RunTable, *, allocated_only: bool = False
) -> Interruptible[list[AllocationRows]]:
    """The allocations of a table by device, each with what frees it.

    With `allocated_only` nothing is reserved or active: of a component other tables say that.
    """
    begin = yield from ticks_named(reader, table, "allocationtime", reader.manifest.origin_ns)
    end = yield from ticks_named(reader, table, "releasetime", reader.manifest.origin_ns)
    if column_named(table, "releasetime") is None:  # msprof writes durations alone
        length = yield from ticks_named(reader, table, "duration", 0)
        end = np.where((begin != NO_TICK) & (length != NO_TICK), begin + length, NO_TICK)
    end = np.where((end != NO_TICK) & (begin != NO_TICK), np.maximum(begin, end), end)
    names = yield from texts_named(table, ("name",))
    devices = yield from texts_named(table, DEVICES)
    size = yield from sizes_named(table, "size", KIBIBYTE)
    size = np.where(size == NO_SIZE, -1, np.abs(size))
    # The last word is that of cells without a name.
    operation = np.where(names.codes == len(names.words) - 1, -1, names.codes).astype(np.int32)
    totals: list[tuple[Ints, Ints] | None] = []  # as allocations are made, and as they are freed
    for figure in ("allocated", "reserved", "active"):
        if figure == "allocated" or not allocated_only:
            at_begin = yield from sizes_named(table, f"allocationtotal{figure}", MEBIBYTE)
            totals.append((at_begin, (yield from sizes_named(table, f"releasetotal{figure}", MEBIBYTE))))
        else:
            totals.append(None)
    groups = []
    for code, on_device in _groups(devices.codes, (begin != NO_TICK) | (end != NO_TICK))[:MAX_OWNERS]:
        made, freed = (on_device[tick[on_device] != NO_TICK] for tick in (begin, end))
        tick = np.concatenate([begin[made], end[freed]])
        order = by_time(tick)
        order = np.arange(len(tick)) if order is None else order
        place = np.empty(len(order), np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        freed_at = np.full(len(table), len(order), np.int32)
        freed_at[freed] = place[len(made) :]
        replaced = np.concatenate([freed_at[made], np.zeros(len(freed), np.int32)])
        rows = np.concatenate([made, freed])[order]
        columns = [
            np.broadcast_to(np.int64(NO_SIZE), len(order)) if sides is None else _total(sides, made, freed, order)
            for sides in totals
        ]
        groups.append(
            AllocationRows(
                device_name(devices.words[code]),
                names.words,
                tick[order],
                order >= len(made),
                size[rows],
                operation[rows],
                replaced[order],
                *columns,
            )
        )
        yield
    return groups


def _total(sides: tuple[Ints, Ints], made: Ints, freed: Ints, order: Ints) -> Ints:
    total: Ints = np.concatenate([sides[0][made], sides[1][freed]])[order]
    total[total < 0] = NO_SIZE
    return total


def _groups(keys: Ints, chosen: NDArray[np.bool_]) -> list[tuple[int, Ints]]:
    """Keys of the chosen rows in the order in which they come first, and the rows of each."""
    rows = np.flatnonzero(chosen)
    if not len(rows):
        return []
    used, codes = distinct(keys[rows])
    # Few are sorted by their digits, in a tenth of the time.
    order = np.argsort(codes.astype(np.uint16) if len(used) <= _MOST_SMALL else codes, kind="stable")
    parts = np.split(rows[order], np.cumsum(np.bincount(codes))[:-1])
    return [(int(keys[part[0]]), part) for part in sorted(parts, key=lambda part: int(part[0]))]
