"""Use of processors while data are prepared: of the machine, of the process, and of each operation of the pipeline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from typing import Final

from tilescope.tiler.facts.ascend.data_preparation import DataOperation, DataPreparation, data_preparations
from tilescope.tiler.facts.ascend.table_places import RankPlace, left_out, tables_by_rank
from tilescope.tiler.facts.cell_figures import Figure, counts, figure_list, figures, mean
from tilescope.tiler.facts.tables import RunTable, run_tables
from tilescope.tiler.query import Interruptible, QueryReader

_WHOLE: Final = "minddata_cpu_utilization"
_SAMPLES: Final = "minddata_cpu_utilization.samples"
_OPERATIONS: Final = "minddata_cpu_utilization.op_info"
_FAMILIES: Final = (_WHOLE, _SAMPLES, _OPERATIONS)
_NO_OPERATION: Final = "-1"  # threads of the process that are none of the pipeline

_USER: Final = "user_utilization"
_SYSTEM: Final = "sys_utilization"


class Metric(StrEnum):
    """Figures of a sample. Shares are percents of all processors."""

    USER = "user"
    SYSTEM = "system"
    IO = "io"
    IDLE = "idle"
    RUNNABLE = "runnable"  # processes
    SWITCHES = "switches"  # of contexts, within the sample


# Members of the file, of older versions too.
_MACHINE: Final[Mapping[Metric, Sequence[str]]] = {
    Metric.USER: [_USER],
    Metric.SYSTEM: [_SYSTEM],
    Metric.IO: ["io_utilization"],
    Metric.IDLE: ["idle_utilization"],
    Metric.RUNNABLE: ["runable_processes", "runable_process"],
    Metric.SWITCHES: ["context_switch_count"],
}
_PROCESS: Final[Mapping[Metric, Sequence[str]]] = {Metric.USER: [_USER], Metric.SYSTEM: [_SYSTEM]}

Curve = Sequence[Figure | None]  # a figure for each sample; None: it could not be read


@dataclass(frozen=True)
class OperationUse:
    """Use by one operation; `operation` None: the pipeline was not recorded, or has no such number."""

    number: int
    operation: DataOperation | None
    curves: Mapping[Metric, Curve]

    @property
    def name(self) -> str:
        """As in the pipeline."""
        return f"Operation {self.number}" if self.operation is None else self.operation.name

    @cached_property
    def busy(self) -> Fraction:
        """Percent of all processors that it takes, on average."""
        return sum((curve_mean(curve) or Fraction() for curve in self.curves.values()), Fraction())


@dataclass(frozen=True, slots=True)
class ProcessorUse:
    """The file of one rank."""

    place: RankPlace
    interval_ms: int | None
    processors: int | None
    machine: Mapping[Metric, Curve]
    process: Mapping[Metric, Curve]
    operations: Sequence[OperationUse]
    preparation: DataPreparation | None  # of the same rank
    damaged: int  # cells and operations that could not be read

    @property
    def samples(self) -> int:
        """Samples of the machine and the process."""
        return max(map(len, (*self.machine.values(), *self.process.values())), default=0)

    @property
    def busy(self) -> Fraction | None:
        """Percent of all processors that are not idle, on average; None: not recorded."""
        idle = curve_mean(self.machine.get(Metric.IDLE, ()))
        return None if idle is None else 100 - idle

    @property
    def busy_rounded(self) -> int | None:
        """The same of a mean that is rounded before, as MindSpore Insight does."""
        idle = curve_mean(self.machine.get(Metric.IDLE, ()))
        return None if idle is None else 100 - round(idle)

    @property
    def others(self) -> Fraction | None:
        """Percent that other processes take, on average; None: the machine or the process was not recorded."""
        sums = [_busy(self.machine), _busy(self.process)]
        machine, process = sums
        return None if machine is None or process is None else max(machine - process, Fraction())


def curve_mean(curve: Curve) -> Fraction | None:
    """The exact mean of the samples that could be read."""
    return mean([value for value in curve if value is not None])


def _busy(curves: Mapping[Metric, Curve]) -> Fraction | None:
    means = [curve_mean(curves.get(metric, ())) for metric in (Metric.USER, Metric.SYSTEM)]
    recorded = [value for value in means if value is not None]
    return sum(recorded, Fraction()) if recorded else None


def has_processor_use(reader: QueryReader) -> bool:
    """True if a run has tables of it. Raises StoredLast while it is indexed, DamagedStore."""
    return bool(run_tables(reader, *_FAMILIES))


def processor_uses(reader: QueryReader) -> Interruptible[list[ProcessorUse]]:
    """The use of processors by rank. Raises StoredLast while the run is indexed, DamagedStore."""
    prepared = {preparation.place: preparation for preparation in (yield from data_preparations(reader))}
    uses = []
    for place, tables in tables_by_rank(reader, _FAMILIES).items():
        uses.append((yield from _use(place, tables, prepared.get(place))))
    return uses


def processors_left_out(reader: QueryReader) -> str:
    """A sentence with the files that `processor_uses` leaves out; empty: none. Raises as above."""
    return left_out(reader, _FAMILIES)


def _use(
    place: RankPlace, tables: Mapping[str, RunTable], preparation: DataPreparation | None
) -> Interruptible[ProcessorUse]:
    whole, samples = tables.get(_WHOLE), tables.get(_SAMPLES)
    machine = yield from _curves(samples, whole, "device_info.", _MACHINE)
    process = yield from _curves(samples, whole, "process_info.", _PROCESS)
    operations, damaged = yield from _operations(tables.get(_OPERATIONS), preparation)
    damaged += sum(value is None for curve in (*machine.values(), *process.values()) for value in curve)
    return ProcessorUse(
        place,
        (yield from _single(whole, "sampling_interval")),
        (yield from _single(whole, "cpu_processor_num")),
        machine,
        process,
        operations,
        preparation,
        damaged,
    )


def _curves(
    samples: RunTable | None, whole: RunTable | None, prefix: str, metrics: Mapping[Metric, Sequence[str]]
) -> Interruptible[dict[Metric, Curve]]:
    """Curves from the table of samples, or, where lists of a file differ in length, from these in its only row."""
    curves: dict[Metric, Curve] = {}
    for metric, members in metrics.items():
        for name in (prefix + member for member in members):
            if samples is not None and name in samples:
                curves[metric] = figures((yield from samples.column(name)))
            elif whole is not None and name in whole:
                (text, *_) = (yield from whole.column(name)).texts()
                read = figure_list(text)
                curves[metric] = (None,) if read is None else read
        yield
    return curves


def _single(whole: RunTable | None, name: str) -> Interruptible[int | None]:
    if whole is None or name not in whole:
        return None
    return next(iter(counts((yield from whole.column(name)))), None)


def _operations(
    table: RunTable | None, preparation: DataPreparation | None
) -> Interruptible[tuple[list[OperationUse], int]]:
    if table is None or "op_id" not in table:
        return [], 0
    pipeline = None if preparation is None else preparation.pipeline
    by_number = {operation.number: operation for operation in (pipeline.operations if pipeline else ())}
    column = yield from table.column("op_id")
    lists = {}
    for metric, member in ((Metric.USER, _USER), (Metric.SYSTEM, _SYSTEM)):
        name = f"metrics.{member}"
        lists[metric] = (yield from table.column(name)).texts() if name in table else [None] * len(table)
        yield
    uses: dict[int, OperationUse] = {}
    damaged = 0
    for row, (number, text) in enumerate(zip(counts(column), column.texts(), strict=True)):
        if text == _NO_OPERATION:
            continue
        curves = {metric: figure_list(texts[row]) for metric, texts in lists.items()}
        damaged += number is None or number in uses or None in curves.values()
        if number is not None and number not in uses:
            read = {metric: curve or () for metric, curve in curves.items()}
            uses[number] = OperationUse(number, by_number.get(number), read)
        yield
    return [use for _, use in sorted(uses.items())], damaged
