"""Time of devices and hosts, by the operations of the framework."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Final

from msgspec import Meta

from tilescope.tiler.facts.host_operations import OperatorKey, OperatorSplit, framework_threads
from tilescope.tiler.facts.operations import LaunchedWork, framework_source, has_operations, launched_by_split
from tilescope.tiler.query import Interruptible, finish
from tilescope.tiler.tools.answer import Answer, Fact, Note, Table, values_of
from tilescope.tiler.tools.contract import AddedRows, Contract, Same
from tilescope.tiler.tools.figures import Figures
from tilescope.tiler.tools.framework_ops.device_rows import device_table
from tilescope.tiler.tools.framework_ops.host_rows import HostRows, LaunchedColumns, host_table
from tilescope.tiler.tools.framework_ops.lanes import LANES
from tilescope.tiler.tools.framework_ops.shown import IDLE
from tilescope.tiler.tools.host_operations import NO_HOST_OPERATIONS, AskedHost, asked_host
from tilescope.tiler.tools.operations import AskedOperations, asked_operations, time_facts
from tilescope.tiler.tools.operations import availability as device_availability
from tilescope.tiler.tools.question import FigureQuestion
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.tool import Tool

MAX_LISTED: Final = 100_000
DEFAULT_LISTED: Final = 200

_KERNELS: Final = (
    "“Run as” is not known of kernels that belong to no compiled program. TensorFlow may have recorded whether they "
    "ran eagerly: ask for statistics by the argument is_eager."
)


class FrameworkOpsQuestion(FigureQuestion, frozen=True, kw_only=True):
    """Operations of the framework in a span or in steps."""

    with_idle: Annotated[
        bool, Meta(description="Whether shares are of all time, or of that in which operations run.")
    ] = True
    by: Annotated[
        OperatorSplit,
        Meta(
            description="Rows of hosts: operators, also by the shapes of their inputs, by thread, or by host, which is "
            "the rank of a job."
        ),
    ] = "operator"
    limit: Annotated[int, Meta(ge=0, le=MAX_LISTED, description="The most operations that are listed, of each.")] = (
        DEFAULT_LISTED
    )


def _answer(scope: Scope, question: FrameworkOpsQuestion) -> Interruptible[Answer]:
    device_operations = yield from asked_operations(scope, question, source=framework_source(scope.reader))
    host = yield from asked_host(scope, question, question.by)
    launched = yield from _launched(scope, question, device_operations)
    if launched is not None:
        host.table.add_launching({key: work.name for key, work in launched.items()})
    yield
    tables = []
    if device_operations.table.cores:
        tables.append(device_table(device_operations, question.limit, with_idle=question.with_idle))
    if host.table.threads:
        launches = None if launched is None else LaunchedColumns(launched, scope.reader.tick_ps)
        shown = HostRows(scope.reader, host.table, question.by, launches)
        tables.append(host_table(shown, question.limit, question.tracks, with_idle=question.with_idle))
    yield
    notes = list(device_operations.notes) if device_operations.table.cores else []
    if device_operations.table.cores and has_operations(scope.reader):
        notes += _kernel_notes(tables[0])
    return Answer([*_device_facts(device_operations), *_host_facts(host)], tables, notes=notes)


def _launched(
    scope: Scope, question: FrameworkOpsQuestion, device_operations: AskedOperations
) -> Interruptible[Mapping[OperatorKey, LaunchedWork] | None]:
    """Work that operators launch; None: no launches tell it."""
    launched = device_operations.table.launched
    if launched is None or question.by == "operator":
        return launched
    question_windows = yield from scope.windows(question)
    devices = device_operations.devices
    return (yield from launched_by_split(scope.reader, devices, question_windows.on_track, question.by))


def _kernel_notes(devices: Table) -> Iterator[Note]:
    """That of kernels without a program it is not told here whether they ran eagerly."""
    columns = {column.id: values_of(column) for column in devices.columns}
    if any(run is None and count is not None for run, count in zip(columns["run_as"], columns["count"], strict=True)):
        yield Note("info", _KERNELS)


def _device_facts(device_operations: AskedOperations) -> Sequence[Fact]:
    return (
        time_facts(device_operations)
        if device_operations.table.cores
        else [Fact("cores", "Cores", 0, "count", device_operations.no_cores)]
    )


def _host_facts(host: AskedHost) -> Sequence[Fact]:
    table = host.table
    if not table.threads:
        return [Fact("threads", "Host threads", 0, "count", NO_HOST_OPERATIONS)]
    span = "from the first operation of each thread to the end of its last one"
    return [
        Fact("threads", "Host threads", len(table.threads), "count", "that run operations"),
        Fact("host_span", "Host time", table.span, "ticks", span),
        host.idle_fact("host_idle_share"),
    ]


def _availability(scope: Scope) -> str:
    """The reason for which a run has no answer; empty if it has one."""
    missing = device_availability(scope)
    reader = scope.reader
    has_any = not missing or framework_source(reader).devices(reader) or finish(framework_threads(reader))
    return "" if has_any else missing


def _sentence(answer: Answer, tick_ps: int) -> str:
    figures = Figures(answer, tick_ps)
    for table, where in (("device", "Devices"), ("host", "Hosts")):
        row = _first_operation(figures, table)
        if row is not None:
            own = f"{figures.cell(table, 'self', row)}, {figures.cell(table, 'share', row)} of the time"
            return f"{where} spend most time in {figures.cell(table, 'name', row)} itself: {own}"
    return "No operation is listed in this range"


def _first_operation(figures: Figures, name: str) -> int | None:
    """The operation with most time of its own; None where none is listed but idle time."""
    table = figures.table(name)
    if table is None:
        return None
    names, own = values_of(table.column("name")), values_of(table.column("self"))
    rows = [row for row in range(len(table)) if names[row] != IDLE and own[row]]
    return max(rows, key=lambda row: int(own[row] or 0)) if rows else None


TOOL: Final = Tool(
    id="framework_ops",
    title="Framework operations",
    help="time, speed and limit of each operation of the framework",
    group="time",
    question=FrameworkOpsQuestion,
    answer=_answer,
    sentence=_sentence,
    availability=_availability,
    contract=Contract(
        added=("span", "busy", "host_span", "device.self", "host.count", "host.self"),
        rows=(
            AddedRows("device", ("name", "type"), ("self", "flops", "bytes")),
            AddedRows("host", ("name",), ("count", "total", "self")),
        ),
        same=(
            Same("cores", "hlo_stats", "cores"),
            Same("span", "hlo_stats", "span"),
            Same("busy", "hlo_stats", "busy"),
            Same("idle_share", "hlo_stats", "idle_share"),
        ),
    ),
    lanes=LANES,
)
