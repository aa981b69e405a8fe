"""What tools about operations have in common: the operations that a question is about, and what devices could reach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tilescope.tiler.facts.operations import OpTable, TpuCore, op_table, tpu_cores
from tilescope.tiler.facts.operations.peaks import Peaks, peaks_of
from tilescope.tiler.query import Steps
from tilescope.tiler.tools.answer import Fact, Note
from tilescope.tiler.tools.question import SpanQuestion
from tilescope.tiler.tools.scope import Scope

NO_OPERATIONS: Final = (
    "the trace has no operations of TPU cores: these come with lines XLA Ops of an XSpace; record with the device's "
    "tracer on"
)
OF_PEAK: Final = "of peak"  # the unit of shares of what a device could reach
NO_PEAK: Final = "the trace does not say what the device could reach"


@dataclass(frozen=True, slots=True)
class AskedOperations:
    """Operations, and the peaks of one core."""

    table: OpTable
    peaks: Peaks
    tick_ps: int
    notes: Sequence[Note]

    def ticks(self, ps: int) -> int:
        """A time on the device in ticks."""
        return ps // self.tick_ps


def asked_operations(scope: Scope, question: SpanQuestion) -> Steps[AskedOperations]:
    """The operations that a question is about: those of the cores that have one of its tracks."""
    looked = yield from scope.windows(question)
    tracks = frozenset(scope.leaves(question.tracks))
    cores = [
        core
        for core in tpu_cores(scope.reader)
        if tracks & {*core.operations, *core.steps} and all(map(scope.is_done, (*core.operations, *core.steps)))
    ]
    table = yield from op_table(scope.reader, cores, looked.of)
    peaks = _peaks(scope, cores)
    notes = [] if cores else [Note("warning", NO_OPERATIONS)]
    if len(set(peaks)) > 1:
        notes.append(Note("warning", "the devices are of several kinds: shares of peaks are those of the first"))
    return AskedOperations(
        table,
        peaks[0] if peaks else Peaks(),
        int(scope.manifest["tick_ps"]),
        notes,
    )


def availability(scope: Scope) -> str:
    """Why a run has no answer about operations."""
    return "" if scope.reader.store.is_growing or tpu_cores(scope.reader) else NO_OPERATIONS


def _peaks(scope: Scope, cores: Sequence[TpuCore]) -> list[Peaks]:
    reader = scope.reader
    return [peaks_of(reader, core.group, reader.store.file_of(core.operations[0])) for core in cores]


def time_facts(asked: AskedOperations) -> list[Fact]:
    """Facts about the time of all cores."""
    table = asked.table
    known = bool(table.cores)
    why = "" if known else NO_OPERATIONS
    span = "from the first step or operation of each core to the end of its last one, on the device's clock"
    return [
        Fact("cores", "Cores", table.cores, "count"),
        Fact("span", "Device time", asked.ticks(table.span) if known else None, "ticks", why or span),
        Fact("busy", "Busy", asked.ticks(table.busy) if known else None, "ticks", why),
        Fact("idle_share", "Idle", table.idle / table.span if table.span else None, "fraction", why),
        _utilisation(asked),
    ]


def _utilisation(asked: AskedOperations) -> Fact:
    flops, peak = sum(of.flops for of in asked.table.operations), asked.peaks.flops
    name, label = "flops_utilisation", "FLOPS of peak"
    if peak is None or not asked.table.span:
        return Fact(name, label, None, "fraction", NO_PEAK if asked.table.cores else NO_OPERATIONS)
    return Fact(name, label, flops / (asked.table.span / 1e12) / peak, "fraction", "of the device time, idle included")
