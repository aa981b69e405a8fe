"""The kernels that GPUs ran, by name and launch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Annotated, Final

from msgspec import Meta

from tilescope.tiler.count_text import plural
from tilescope.tiler.duration_text import duration_text
from tilescope.tiler.facts.ascend_tracks import is_ascend_run
from tilescope.tiler.facts.kernels import Kernel, KernelTable, has_kernels, kernel_table
from tilescope.tiler.facts.operations import gpu_devices, tpu_cores
from tilescope.tiler.facts.tensor_cores import uses_tensor_cores
from tilescope.tiler.percent_text import percent_text
from tilescope.tiler.query import Interruptible
from tilescope.tiler.schema import TotalKind
from tilescope.tiler.ticks import nearest_mean
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Table, Value
from tilescope.tiler.tools.contract import Contract
from tilescope.tiler.tools.figures import short_name
from tilescope.tiler.tools.kernels.names import KernelName, by_name, names_table, sums
from tilescope.tiler.tools.operations import ON_ASCEND
from tilescope.tiler.tools.question import EventName, FigureQuestion
from tilescope.tiler.tools.row_query import opens, query_column
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.tool import Reason, Tool

MAX_LISTED: Final = 100_000
DEFAULT_LISTED: Final = 200

_NO_KERNELS: Final = (
    "the trace has no kernels of GPUs: those are events of an XSpace's streams that have kernel_details, and events of "
    "category kernel of a PyTorch trace; record with the GPU's tracer on (CUPTI, ROCm)"
)
_NO_DETAILS: Final = (
    "the streams of the trace's GPUs hold no kernels: no event on them has kernel_details, as profilers that name "
    "kernels write it"
)
_OF_TPU: Final = "TPUs run programs, not kernels: hlo_stats tells of their instructions"
_BY_NAME: Final = "judged by the names of kernels: traces do not record it"
_MATTERS: Final = 0.05  # of the time of kernels


class KernelsQuestion(FigureQuestion, frozen=True, kw_only=True):
    """Kernels of GPUs in a span or in steps."""

    operation: Annotated[
        EventName | None,
        Meta(
            description="Only kernels that an operation of exactly this name launches, itself or by operations in it.",
        ),
    ] = None
    limit: Annotated[
        int, Meta(ge=0, le=MAX_LISTED, description="The most rows that are listed, the longest first.")
    ] = DEFAULT_LISTED


def _answer(scope: Scope, question: KernelsQuestion) -> Interruptible[Answer]:
    question_windows = yield from scope.windows(question)
    tracks, within = scope.leaves(question.tracks), question.operation
    gpu_kernels = yield from kernel_table(scope.reader, tracks, question_windows.on_track, within)
    kernels = sorted(
        gpu_kernels.kernels,
        key=lambda kernel: (-kernel.total, kernel.name, kernel.launch.grid, kernel.launch.block, kernel.operation),
    )
    yield
    tick_ps = scope.reader.tick_ps
    names = by_name(kernels)
    could_use = gpu_kernels.could_use_tensor_cores
    stacks = opens("call_tree", "Stacks that launch it", "name", question.tracks, weight="device")
    questions = [stacks] if gpu_kernels.have_stacks else []
    return Answer(
        _facts(gpu_kernels, tick_ps),
        [
            names_table(names, question.limit, tick_ps, could_use, _event, questions),
            _table(gpu_kernels, kernels, question.limit, tick_ps),
        ],
        notes=_notes(gpu_kernels, kernels),
        headline=_headline(names, tick_ps),
    )


def _facts(gpu_kernels: KernelTable, tick_ps: int) -> list[Fact]:
    time = _time(gpu_kernels.kernels)
    tensor = _time([kernel for kernel in gpu_kernels.kernels if uses_tensor_cores(kernel.name)])
    return [
        Fact("devices", "GPUs", gpu_kernels.devices, "count", "that run kernels"),
        Fact(
            "launches",
            "Launches",
            sum(kernel.count for kernel in gpu_kernels.kernels),
            "count",
            "that start in the span",
        ),
        Fact("time", "Time of kernels", time // tick_ps, "ticks", "on all GPUs together"),
        Fact("tensor_share", "Tensor cores", tensor / time if time else None, "fraction", f"of that time, {_BY_NAME}"),
    ]


def _table(gpu_kernels: KernelTable, kernels: Sequence[Kernel], limit: int, tick_ps: int) -> Table:
    listed = kernels[:limit]
    whole = _time(kernels)
    shares: list[Value] = [kernel.total / whole if whole else None for kernel in listed]

    def ticks(name: str, title: str, total: TotalKind, value: Callable[[Kernel], int]) -> Column:
        values = [value(kernel) // tick_ps if kernel.count else None for kernel in listed]
        return Column(name, title, "ticks", values, total=total)

    columns = [
        Column("name", "Kernel", "name", [kernel.name for kernel in listed]),
        Column("count", "Count", "count", [kernel.count for kernel in listed]),
        Column("total", "Total", "ticks", [kernel.total // tick_ps for kernel in listed]),
        Column("share", "Share", "fraction", shares),
        Column("cumulative", "Cumulative", "fraction", list(accumulate(float(s or 0) for s in shares)), total="max"),
        ticks("mean", "Mean", "none", lambda kernel: nearest_mean(kernel.total, kernel.count)),
        ticks("shortest", "Shortest", "min", lambda kernel: kernel.shortest),
        ticks("longest", "Longest", "max", lambda kernel: kernel.longest),
        Column("registers", "Registers", "count", [kernel.launch.registers for kernel in listed], total="none"),
        Column("shared", "Shared memory", "bytes", [kernel.launch.shared_bytes for kernel in listed], total="none"),
        Column("block", "Block", "text", [kernel.launch.block or None for kernel in listed]),
        Column("grid", "Grid", "text", [kernel.launch.grid or None for kernel in listed]),
        Column("occupancy", "Occupancy", "fraction", [kernel.occupancy for kernel in listed], total="none"),
        Column("tensor_cores", "Tensor cores", "flag", [uses_tensor_cores(kernel.name) for kernel in listed]),
        Column(
            "could_use", "Could use them", "flag", [gpu_kernels.could_use_tensor_cores(kernel) for kernel in listed]
        ),
        Column("operation", "Operation", "text", [kernel.operation or None for kernel in listed]),
        Column("event", "Longest one", "event", [_event(kernel) for kernel in listed]),
        query_column((kernel.name for kernel in listed), (kernel.category for kernel in listed)),
    ]
    rest = sums(kernels[limit:], whole, tick_ps) if len(kernels) > len(listed) else None
    return Table("kernels", "By launch", columns, totals=sums(kernels, whole, tick_ps), rest=rest)


def _event(kernel: Kernel) -> str | None:
    return None if kernel.longest_event is None else "{}.{}".format(*kernel.longest_event)


def _time(kernels: Sequence[Kernel]) -> int:
    return sum(kernel.total for kernel in kernels)


def _headline(names: Sequence[KernelName], tick_ps: int) -> Note:
    whole = sum(name.total for name in names)
    if not whole:
        return Note("info", "no kernel runs in this range")
    first = names[0]
    takes = f"{duration_text(first.total // tick_ps, tick_ps)}, {percent_text(first.total / whole)}"
    text = f"{takes} of the time of kernels, is of {short_name(first.name)}, more than of any other"
    event = first.longest.longest_event
    return Note("info", text, track=None if event is None else event[0])


def _notes(gpu_kernels: KernelTable, kernels: Sequence[Kernel]) -> list[Note]:
    """Notes on what else stands out."""
    notes = []
    if gpu_kernels.empty:
        text = plural(gpu_kernels.empty, "kernel takes", "kernels take")
        notes.append(Note("info", f"{text} no time by the trace's clock: no row has that"))
    whole = _time(kernels)
    if not whole:
        return notes
    idle = [
        kernel
        for kernel in kernels
        if gpu_kernels.could_use_tensor_cores(kernel) and not uses_tensor_cores(kernel.name)
    ]
    if _time(idle) > _MATTERS * whole:
        text = (
            f"{percent_text(_time(idle) / whole)} of the time of kernels is of operations that could use tensor cores, "
            f"in kernels that by their names do not: {short_name(idle[0].name)} first"
        )
        event = idle[0].longest_event
        notes.append(Note("info", text, track=None if event is None else event[0]))
    return notes


def _availability(scope: Scope) -> Reason:
    if has_kernels(scope.reader):
        return ""
    if gpu_devices(scope.reader):
        return _NO_DETAILS
    if is_ascend_run(scope.reader):
        return ON_ASCEND
    return f"{_NO_KERNELS}. {_OF_TPU}" if tpu_cores(scope.reader) else _NO_KERNELS


TOOL: Final = Tool(
    id="kernels",
    title="Kernels",
    help="kernels of GPUs: how often, how long, launches, tensor cores",
    group="time",
    question=KernelsQuestion,
    answer=_answer,
    availability=_availability,
    contract=Contract(
        added=("launches", "time"),
        by_track=True,
        parts={"launches": ("kernels.count",), "time": ("kernels.total",)},
    ),
)
