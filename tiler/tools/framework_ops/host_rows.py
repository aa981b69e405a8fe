"""Operations of the framework on hosts, as a table, with what they launch on devices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass

from tilescope.tiler.facts.host_operations import HostOp, HostOperation, HostTable, OperatorKey, OperatorSplit, OpSource
from tilescope.tiler.facts.operations import LaunchedWork
from tilescope.tiler.query import QueryReader
from tilescope.tiler.schema import Kind, TotalKind
from tilescope.tiler.tools.answer import Column, Table, Value
from tilescope.tiler.tools.framework_ops.shown import OperationRow, RowSums, ShownRows, leading
from tilescope.tiler.tools.host_nouns import host_noun_of_run
from tilescope.tiler.tools.question import Tracks
from tilescope.tiler.tools.row_query import event_name_column, opens
from tilescope.tiler.tools.track_names import track_names


@dataclass(frozen=True, slots=True)
class LaunchedColumns:
    """Work that operators launch on devices, and the picoseconds of a tick."""

    by_operator: Mapping[OperatorKey, LaunchedWork]
    tick_ps: int

    def columns(self, listed: Sequence[OperationRow]) -> list[Column]:
        """Columns, of which only the time of work that operators launch themselves adds up."""
        works = [
            None if row.count is None else self.by_operator.get(row.key or OperatorKey(row.name), LaunchedWork())
            for row in listed
        ]

        def column(
            name: str, title: str, kind: Kind, value: Callable[[LaunchedWork], Value], total: TotalKind
        ) -> Column:
            return Column(name, title, kind, [None if work is None else value(work) for work in works], total=total)

        return [
            column("kernels", "Kernels", "count", lambda work: work.count, "none"),
            column("device_total", "Device total", "ticks", lambda work: work.total // self.tick_ps, "none"),
            column("device_self", "Device self", "ticks", lambda work: work.own // self.tick_ps, "sum"),
            column("tensor_share", "Tensor cores", "fraction", _tensor_share, "none"),
        ]


def _tensor_share(work: LaunchedWork) -> float | None:
    """The share of the device total in kernels that use tensor cores."""
    return work.tensor / work.total if work.total else None


@dataclass(frozen=True, slots=True)
class HostRows:
    """Operations of hosts, what tells those of one name apart, and what they launch; None: nothing says it."""

    reader: QueryReader
    table: HostTable
    by: OperatorSplit
    launches: LaunchedColumns | None

    def split_columns(self, listed: Sequence[OperationRow]) -> list[Column]:
        """The column of what tells operators of one name apart."""
        keys = [row.key or OperatorKey(row.name) for row in listed]
        if self.by == "shapes":
            return [Column("shapes", "Shapes of inputs", "text", [key.shapes or None for key in keys])]
        if self.by == "thread":
            names = track_names(self.reader.tree, sorted({key.place for key in keys} - {-1}))
            return [Column("thread", "Thread", "name", [names.get(key.place) for key in keys])]
        if self.by == "host":
            groups = self.reader.tree.groups
            hosts = [None if key.place < 0 else groups[key.place].name for key in keys]
            return [Column("host", host_noun_of_run(self.reader).capitalize(), "name", hosts)]
        return []


def host_table(host: HostRows, limit: int, tracks: Tracks | None, *, with_idle: bool) -> Table:
    """Operations of hosts on the tracks that were asked about, those that take most time first."""
    table = host.table
    order = sorted(table.operations, key=lambda operation: (-operation.own, astuple(operation.key)))
    names = host.reader.names.by_id(operation.name for operation in order[:limit])
    rows = [_row(operation, names[operation.name].text) for operation in order[:limit]]
    others = RowSums(
        max(len(order) - limit, 0),
        *(sum(getattr(operation, column) for operation in order[limit:]) for column in ("count", "total", "own")),
    )
    shown = ShownRows(rows, others, table.idle if with_idle else 0, table.span if with_idle else table.busy, limit)
    ways = {operation.key: _way(operation.op) for operation in order[:limit]}
    name, *figures = shown.columns()
    columns = [
        *(name, *host.split_columns(shown.listed), *figures),
        *([] if host.launches is None else host.launches.columns(shown.listed)),
        *shown.means(),
        Column("run_as", "Run as", "text", [None if row.key is None else ways[row.key] for row in shown.listed]),
        *leading(shown.listed),
        event_name_column(row.shown for row in shown.listed),
    ]
    questions = [opens("call_tree", "Calls by stack", "name", tracks)]
    if host.launches is not None:
        questions.append(opens("kernels", "Kernels that it launches", "operation", tracks))
    return shown.table("host", "On hosts", columns, questions)


def _row(operation: HostOperation, shown: str) -> OperationRow:
    return OperationRow(
        operation.op.name,
        operation.op.type,
        operation.count,
        operation.total,
        operation.own,
        operation.track,
        shown,
        key=operation.key,
    )


def _way(op: HostOp) -> str | None:
    """Mode in which it runs; None: nobody says it."""
    if op.source == OpSource.PYTORCH:
        return None
    return "eager" if op.is_eager else "function"
