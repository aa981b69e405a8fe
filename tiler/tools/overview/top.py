"""The longest work of devices: operations of the framework, or else names of events."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from tilescope.tiler.facts import Device, Work
from tilescope.tiler.facts.name_sums import name_sums
from tilescope.tiler.facts.operations.framework import UNKNOWN_TYPE, known_rates, longest_framework_operations
from tilescope.tiler.facts.operators_end import operators_end
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.tools.answer import Column, Table, Value
from tilescope.tiler.tools.operations import AskedOperations
from tilescope.tiler.tools.row_query import query_column
from tilescope.tiler.windows import WindowsOf

_SHOWN: Final = 96  # characters

TITLE: Final = "What takes most of the devices' time"


def top_operations(device_operations: AskedOperations, limit: int) -> Table:
    """Operations of the framework; shares are of the time in which devices work.

    An instruction that no operation of the framework stands for has the category of its program.
    """
    listed = longest_framework_operations(device_operations.table, limit)
    busy = device_operations.table.busy
    listed_rates = [known_rates(operation, device_operations.peaks) for operation in listed]
    columns = [
        *_columns(
            [operation.name for operation in listed],
            [
                operation.longest_part.metadata.category if operation.type == UNKNOWN_TYPE else operation.type
                for operation in listed
            ],
            [device_operations.ticks(operation.sums.own) for operation in listed],
            [operation.sums.own / busy if busy else 0.0 for operation in listed],
        ),
        Column("flop_rate", "FLOP rate", "rate", [rates.flops for rates in listed_rates], "FLOP/s", total="none"),
        Column("bound_by", "Bound by", "text", [rates.bound_by or None for rates in listed_rates]),
        Column("count", "Count", "count", [operation.sums.count for operation in listed]),
        Column(
            "track",
            "Track",
            "track",
            [operation.sums.track if operation.sums.track >= 0 else None for operation in listed],
        ),
        query_column(operation.longest_part.metadata.name for operation in listed),
        Column("full", "Full name", "text", [operation.name for operation in listed]),
    ]
    return Table("operations", TITLE, columns)


def top_names(
    reader: QueryReader, devices: Sequence[Device], windows_of: WindowsOf, limit: int
) -> Interruptible[Table | None]:
    """Names of events of devices; shares are of what all of them take, in ticks; None: there are none.

    Events behind the last recorded operator of a device are left out: its operators would lack among them.
    """
    sums: defaultdict[int, list[int]] = defaultdict(lambda: [0, 0, 0])  # own time, count, and the track with most
    most: dict[int, int] = {}
    for device in devices:
        end = yield from operators_end(reader, device)
        for work_track in device.tracks:
            recorded = windows_of(work_track.track).clipped(0, end)
            for part in (yield from name_sums(reader, work_track.track, recorded)):
                for name, count, own in zip(
                    part.name.tolist(), part.count.tolist(), part.self_busy.tolist(), strict=True
                ):
                    if name >= 0 and work_track.kinds[name + 1] != Work.NONE:
                        row = sums[name]
                        row[0] += own
                        row[1] += count
                        if own > most.get(name, -1):
                            most[name], row[2] = own, work_track.track
                yield
    whole = sum(own for own, _, _ in sums.values())
    if not whole:
        return None
    listed = sorted(sums, key=lambda name: (-sums[name][0], name))[:limit]
    names = reader.names.by_id(listed)
    columns = [
        *_columns(
            [names[name].text for name in listed],
            [names[name].category for name in listed],
            [sums[name][0] for name in listed],
            [sums[name][0] / whole for name in listed],
        ),
        Column("count", "Count", "count", [sums[name][1] for name in listed]),
        Column("track", "Track", "track", [sums[name][2] for name in listed]),
        query_column((names[name].text for name in listed), (names[name].category for name in listed)),
        Column("full", "Full name", "text", [names[name].text for name in listed]),
    ]
    return Table("operations", TITLE, columns)


def shortened(name: str) -> str:
    """A name that fits into a table: kernels of templates have hundreds of characters, which the column `full` has."""
    return name if len(name) <= _SHOWN else f"{name[: _SHOWN - 1].rstrip()}…"


def _columns(names: Sequence[str], types: Sequence[str], own: Sequence[int], shares: Sequence[float]) -> list[Column]:
    fractions: list[Value] = list(shares)
    return [
        Column("name", "Operation", "name", [shortened(name) for name in names]),
        Column("category", "Category", "text", [kind or None for kind in types]),
        Column("self", "Self", "ticks", list(own)),
        Column("share", "Share", "fraction", fractions),
        Column("cumulative", "Cumulative", "fraction", list(accumulate(shares)), total="max"),
    ]
