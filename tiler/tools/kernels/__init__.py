"""The kernels that GPUs ran, by name and launch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Annotated, Final

from msgspec import Meta

from tilescope.tiler.facts.kernels import Kernel, KernelTable, has_kernels, kernel_table
from tilescope.tiler.facts.kernels.tensor_cores import uses_tensor_cores
from tilescope.tiler.facts.operations import gpu_devices, tpu_cores
from tilescope.tiler.query import Steps
from tilescope.tiler.schema import TotalKind
from tilescope.tiler.ticks import nearest_mean
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Table, Value
from tilescope.tiler.tools.contract import Contract
from tilescope.tiler.tools.question import FigureQuestion
from tilescope.tiler.tools.row_query import query_column
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
_BY_NAME: Final = "by the names of kernels, for traces do not say"
_MATTERS: Final = 0.05  # of the time of kernels


class KernelsQuestion(FigureQuestion, frozen=True, kw_only=True):
    """Kernels of GPUs in a span or in steps."""

    limit: Annotated[
        int, Meta(ge=0, le=MAX_LISTED, description="The most rows that are listed, the longest first.")
    ] = DEFAULT_LISTED


def _answer(scope: Scope, question: KernelsQuestion) -> Steps[Answer]:
    looked = yield from scope.windows(question)
    found = yield from kernel_table(scope.reader, scope.leaves(question.tracks), looked.of)
    kernels = sorted(found.kernels, key=lambda of: (-of.total, of.name, of.launch.grid, of.launch.block, of.operation))
    yield
    tick_ps = int(scope.manifest["tick_ps"])
    return Answer(
        _facts(found, tick_ps),
        [_table(found, kernels, question.limit, tick_ps)],
        notes=_notes(found, kernels),
    )


def _facts(found: KernelTable, tick_ps: int) -> list[Fact]:
    time = _time(found.kernels)
    tensor = _time([of for of in found.kernels if uses_tensor_cores(of.name)])
    return [
        Fact("devices", "GPUs", found.devices, "count", "that run kernels"),
        Fact("launches", "Launches", sum(of.count for of in found.kernels), "count", "that start in the span"),
        Fact("time", "Time of kernels", time // tick_ps, "ticks", "on all GPUs together"),
        Fact("tensor_share", "Tensor cores", tensor / time if time else None, "fraction", f"of that time, {_BY_NAME}"),
    ]


def _table(found: KernelTable, kernels: Sequence[Kernel], limit: int, tick_ps: int) -> Table:
    listed = kernels[:limit]
    whole = _time(kernels)
    shares: list[Value] = [of.total / whole if whole else None for of in listed]

    def ticks(name: str, title: str, total: TotalKind, value: Callable[[Kernel], int]) -> Column:
        values = [value(of) // tick_ps if of.count else None for of in listed]
        return Column(name, title, "ticks", values, total=total)

    columns = [
        Column("name", "Kernel", "name", [of.name for of in listed]),
        Column("count", "Count", "count", [of.count for of in listed]),
        Column("total", "Total", "ticks", [of.total // tick_ps for of in listed]),
        Column("share", "Share", "fraction", shares),
        Column("cumulative", "Cumulative", "fraction", list(accumulate(float(s or 0) for s in shares)), total="max"),
        ticks("mean", "Mean", "none", lambda of: nearest_mean(of.total, of.count)),
        ticks("shortest", "Shortest", "min", lambda of: of.shortest),
        ticks("longest", "Longest", "max", lambda of: of.longest),
        Column("registers", "Registers", "count", [of.launch.registers for of in listed], total="none"),
        Column("shared", "Shared memory", "bytes", [of.launch.shared_bytes for of in listed], total="none"),
        Column("block", "Block", "text", [of.launch.block or None for of in listed]),
        Column("grid", "Grid", "text", [of.launch.grid or None for of in listed]),
        Column("occupancy", "Occupancy", "fraction", [of.occupancy for of in listed], total="none"),
        Column("tensor_cores", "Tensor cores", "flag", [uses_tensor_cores(of.name) for of in listed]),
        Column("could_use", "Could use them", "flag", [found.could_use_tensor_cores(of) for of in listed]),
        Column("operation", "Operation", "text", [of.operation or None for of in listed]),
        Column("event", "Longest one", "event", [_event(of) for of in listed]),
        query_column((of.name for of in listed), (of.category for of in listed)),
    ]
    rest = _sums(kernels[limit:], whole, tick_ps) if len(kernels) > len(listed) else None
    return Table("kernels", "By kernel", columns, totals=_sums(kernels, whole, tick_ps), rest=rest)


def _event(kernel: Kernel) -> str | None:
    return None if kernel.longest_event is None else "{}.{}".format(*kernel.longest_event)


def _time(kernels: Sequence[Kernel]) -> int:
    return sum(of.total for of in kernels)


def _sums(kernels: Sequence[Kernel], whole: int, tick_ps: int) -> dict[str, Value]:
    time = _time(kernels)
    return {
        "count": sum(of.count for of in kernels),
        "total": time // tick_ps,
        "share": time / whole if whole else None,
    }


def _notes(found: KernelTable, kernels: Sequence[Kernel]) -> list[Note]:
    """The answer in words."""
    notes = []
    if found.empty:
        notes.append(Note("info", f"{found.empty:,} kernels take no time by the trace's clock: they are in no row"))
    whole = _time(kernels)
    if not whole:
        return [*notes, Note("info", "no kernel runs in what is looked at")]
    first = kernels[0]
    text = f"of the time of kernels, {first.total / whole:.1%} is of {_short(first.name)}, more than of any other"
    event = first.longest_event
    notes.append(Note("info", text.replace("%", " %"), track=None if event is None else event[0]))
    idle = [of for of in kernels if found.could_use_tensor_cores(of) and not uses_tensor_cores(of.name)]
    if _time(idle) > _MATTERS * whole:
        text = (
            f"{_time(idle) / whole:.1%} of the time of kernels is of operations that could use tensor cores, in kernels"
            f" that by their names do not: {_short(idle[0].name)} first"
        )
        event = idle[0].longest_event
        notes.append(Note("info", text.replace("%", " %"), track=None if event is None else event[0]))
    return notes


def _short(name: str) -> str:
    return name if len(name) <= _SHORT else f"{name[: _SHORT - 1]}…"


_SHORT: Final = 80


def _availability(scope: Scope) -> Reason:
    if has_kernels(scope.reader):
        return ""
    if gpu_devices(scope.reader):
        return _NO_DETAILS
    return f"{_NO_KERNELS}. {_OF_TPU}" if tpu_cores(scope.reader) else _NO_KERNELS


TOOL: Final = Tool(
    id="kernels",
    title="Kernels",
    help="how often GPUs run each kernel, how long, how it is launched, and whether it uses tensor cores",
    group="devices",
    question=KernelsQuestion,
    answer=_answer,
    availability=_availability,
    contract=Contract(
        added=("launches", "time"),
        by_track=True,
        parts={"launches": ("kernels.count",), "time": ("kernels.total",)},
    ),
)
