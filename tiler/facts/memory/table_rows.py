"""Rows of tables about memory: fills of components over time, and allocations of operators, of one device each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.ascend.headers import column_named, texts_named
from tilescope.tiler.facts.memory.table_columns import (
    KIBIBYTE,
    MEBIBYTE,
    NO_SIZE,
    NO_TICK,
    Ints,
    has_number,
    sizes_named,
    ticks_named,
)
from tilescope.tiler.facts.tables import RunTable
from tilescope.tiler.query import Interruptible, QueryReader

FILLS: Final = ("memory_record", "npu_module_mem")
ALLOCATIONS: Final = "operator_memory"

MAX_OWNERS: Final = 1000  # components of devices in a file, as many as are drawn

_DEVICES: Final = ("device", "devicetype", "device_id")


@dataclass(frozen=True, slots=True)
class FillRows:
    """Samples of a component of a device, by time: columns (n,), bytes, NO_SIZE where there is none."""

    device: str
    component: str
    table: RunTable
    tick: Ints
    allocated: Ints
    reserved: Ints
    active: Ints
    ordinal: Ints  # of the counter that is drawn of it; -1: the cell is no plain number, and not drawn

    def __len__(self) -> int:
        return len(self.tick)


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


def fill_rows(reader: QueryReader, table: RunTable) -> Interruptible[list[FillRows]]:
    """The rows of a table by device and component."""
    tick = yield from ticks_named(reader, table, "timestamp", reader.manifest.origin_ns)
    components = yield from texts_named(table, ("component",))
    devices = yield from texts_named(table, _DEVICES)
    sizes, numbers = [], []
    for plain in ("totalallocated", "totalreserved", "totalactive"):
        size = yield from sizes_named(table, plain, MEBIBYTE)
        sizes.append(np.where(size < 0, NO_SIZE, size))
        header = column_named(table, plain)
        numbers.append(header is not None and (yield from has_number(table, header)))
        yield
    owners = _groups(devices.codes * len(components.words) + components.codes, tick != NO_TICK)
    groups = []
    for owner, rows in owners[:MAX_OWNERS]:
        device, component = divmod(owner, len(components.words))
        rows = rows[np.argsort(tick[rows], kind="stable")]
        # Of those that say what is allocated other samples are none: the others have what is reserved.
        figure = 0 if (sizes[0][rows] >= 0).any() else 1
        is_drawn = np.broadcast_to(numbers[figure], len(table))[rows]
        ordinals = np.where(is_drawn, np.cumsum(is_drawn) - 1, -1)
        is_sample = sizes[figure][rows] >= 0
        rows = rows[is_sample]
        if len(rows):
            names = _device(devices.words[device]), components.words[component]
            allocated, reserved, active = (size[rows] for size in sizes)
            held = allocated, reserved, active, ordinals[is_sample]
            groups.append(FillRows(*names, table, tick[rows], *held))
        yield
    return groups


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
    devices = yield from texts_named(table, _DEVICES)
    size = yield from sizes_named(table, "size", KIBIBYTE)
    size = np.where(size == NO_SIZE, -1, np.abs(size))
    # The last word is that of cells without a name.
    operation = np.where(names.codes == len(names.words) - 1, -1, names.codes).astype(np.int32)
    totals = []
    for figure in ("allocated", "reserved", "active"):
        sides = []
        for side in ("allocationtotal", "releasetotal"):
            total = np.broadcast_to(np.int64(NO_SIZE), len(table))
            if figure == "allocated" or not allocated_only:
                total = yield from sizes_named(table, side + figure, MEBIBYTE)
            sides.append(np.where(total < 0, NO_SIZE, total))
            yield
        totals.append(sides)
    groups = []
    for code, on_device in _groups(devices.codes, (begin != NO_TICK) | (end != NO_TICK))[:MAX_OWNERS]:
        made, freed = (on_device[tick[on_device] != NO_TICK] for tick in (begin, end))
        tick = np.concatenate([begin[made], end[freed]])
        order = np.argsort(tick, kind="stable")
        place = np.empty(len(order), np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        is_free = np.arange(len(order)) >= len(made)
        freed_at = np.full(len(table), len(order), np.int32)
        freed_at[freed] = place[len(made) :]
        replaced = np.concatenate([freed_at[made], np.zeros(len(freed), np.int32)])
        rows = np.concatenate([made, freed])
        columns = [np.concatenate([sides[0][made], sides[1][freed]])[order] for sides in totals]
        groups.append(
            AllocationRows(
                _device(devices.words[code]),
                names.words,
                tick[order],
                is_free[order],
                size[rows][order],
                operation[rows][order],
                replaced[order],
                *columns,
            )
        )
        yield
    return groups


def _groups(keys: Ints, chosen: NDArray[np.bool_]) -> list[tuple[int, Ints]]:
    """Keys of the chosen rows in the order in which they come first, and the rows of each."""
    rows = np.flatnonzero(chosen)
    rows = rows[np.argsort(keys[rows], kind="stable")]
    parts = np.split(rows, np.flatnonzero(np.diff(keys[rows])) + 1) if len(rows) else []
    return [(int(keys[part[0]]), part) for part in sorted(parts, key=lambda part: int(part[0]))]


def _device(text: str) -> str:
    """As files of all versions call it."""
    return f"NPU:{text}" if text.isdecimal() else text
