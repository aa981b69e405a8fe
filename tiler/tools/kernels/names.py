"""Kernels by name, as a tree: below a name how it was launched, where that was in several ways."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from tilescope.tiler.facts.kernels import Kernel
from tilescope.tiler.facts.tensor_cores import uses_tensor_cores
from tilescope.tiler.schema import TotalKind
from tilescope.tiler.ticks import nearest_mean
from tilescope.tiler.tools.answer import Column, Table, Value
from tilescope.tiler.tools.row_query import event_name_column, query_column
from tilescope.tiler.tools.row_question import RowQuestion

# The longest kernel as "track.ordinal"; None: it is not known.
Event = Callable[[Kernel], str | None]

MOST_LAUNCHES: Final = 50  # below a name: those that take most time


@dataclass(frozen=True, slots=True)
class KernelName:
    """Kernels of one name, by how they were launched: what takes most time first. Times in ps."""

    name: str
    launches: Sequence[Kernel]

    @property
    def total(self) -> int:
        """Time of all of them."""
        return sum(kernel.total for kernel in self.launches)

    @property
    def count(self) -> int:
        """Kernels that start in the windows."""
        return sum(kernel.count for kernel in self.launches)

    @property
    def longest(self) -> Kernel:
        """The launches with the longest kernel."""
        return max(self.launches, key=lambda kernel: kernel.longest)


def by_name(kernels: Sequence[Kernel]) -> list[KernelName]:
    """Names, what takes most time first, of kernels in this order."""
    launches: dict[str, list[Kernel]] = {}
    for kernel in kernels:
        launches.setdefault(kernel.name, []).append(kernel)
    names = [KernelName(name, of_name) for name, of_name in launches.items()]
    return sorted(names, key=lambda name: (-name.total, name.name))


def sums(kernels: Sequence[Kernel], whole: int, tick_ps: int) -> dict[str, Value]:
    """Totals of rows about kernels; `whole` is the time of all, in ps."""
    time = sum(kernel.total for kernel in kernels)
    return {
        "count": sum(kernel.count for kernel in kernels),
        "total": time // tick_ps,
        "share": time / whole if whole else None,
    }


def names_table(
    names: Sequence[KernelName],
    limit: int,
    tick_ps: int,
    could_use: Callable[[Kernel], bool],
    event: Event,
    opens: Sequence[RowQuestion],
) -> Table:
    """The first names, and below each the launches that take most time."""
    every = [kernel for name in names for kernel in name.launches]
    whole = sum(kernel.total for kernel in every)
    rows: list[KernelName] = []
    parents: list[int] = []
    for name in names[:limit]:
        parent = len(rows)
        rows.append(name)
        parents.append(-1)
        if len(name.launches) > 1:
            rows += [KernelName(name.name, [kernel]) for kernel in name.launches[:MOST_LAUNCHES]]
            parents += [parent] * (len(rows) - parent - 1)

    def ticks(column: str, title: str, total: TotalKind, value: Callable[[KernelName], int]) -> Column:
        values = [value(row) // tick_ps if row.count else None for row in rows]
        return Column(column, title, "ticks", values, total=total)

    def of_launch(value: Callable[[Kernel], Value]) -> list[Value]:
        return [value(row.launches[0]) if len(row.launches) == 1 else None for row in rows]

    columns = [
        Column("name", "Kernel", "name", [row.name for row in rows]),
        Column("count", "Count", "count", [row.count for row in rows]),
        Column("total", "Total", "ticks", [row.total // tick_ps for row in rows]),
        Column("share", "Share", "fraction", [row.total / whole if whole else None for row in rows]),
        ticks("mean", "Mean", "none", lambda row: nearest_mean(row.total, row.count)),
        ticks("shortest", "Shortest", "min", _shortest),
        ticks("longest", "Longest", "max", lambda row: row.longest.longest),
        Column("launches", "Different launches", "count", [len(row.launches) for row in rows], total="none"),
        Column("block", "Block", "text", of_launch(lambda kernel: kernel.launch.block or None)),
        Column("grid", "Grid", "text", of_launch(lambda kernel: kernel.launch.grid or None)),
        Column("registers", "Registers", "count", of_launch(lambda kernel: kernel.launch.registers), total="none"),
        Column("shared", "Shared memory", "bytes", of_launch(lambda kernel: kernel.launch.shared_bytes), total="none"),
        Column("occupancy", "Occupancy", "fraction", [_occupancy(row) for row in rows], total="none"),
        Column("tensor_cores", "Tensor cores", "flag", [uses_tensor_cores(row.name) for row in rows]),
        Column("could_use", "Could use them", "flag", [any(map(could_use, row.launches)) for row in rows]),
        Column("operation", "Operation", "text", of_launch(lambda kernel: kernel.operation or None)),
        Column("event", "Longest one", "event", [event(row.longest) for row in rows]),
        query_column((row.name for row in rows), (row.longest.category for row in rows)),
        Column("parent", "Parent", "id", parents),
    ]
    if opens:
        columns.append(event_name_column(row.name for row in rows))
    left = [kernel for name in names[limit:] for kernel in name.launches]
    return Table(
        "names",
        "By name",
        columns,
        parent="parent",
        nested=("total", "count"),
        totals=sums(every, whole, tick_ps),
        rest=sums(left, whole, tick_ps) if left else None,
        opens=opens,
    )


def _shortest(name: KernelName) -> int:
    return min(kernel.shortest for kernel in name.launches if kernel.count)


def _occupancy(name: KernelName) -> float | None:
    count = sum(kernel.occupancy_known for kernel in name.launches)
    return sum(kernel.occupancies for kernel in name.launches) / count if count else None
