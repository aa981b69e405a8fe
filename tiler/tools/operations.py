"""The operations that a question is about, and the peaks of their devices, for several tools."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from tilescope.tiler.count_text import plural
from tilescope.tiler.duration_text import duration_text
from tilescope.tiler.facts.ascend_tracks import is_ascend_run
from tilescope.tiler.facts.hlo.programs import programs_of
from tilescope.tiler.facts.operations import (
    Operation,
    OperationSource,
    OpTable,
    has_operations,
    operation_source,
    tpu_cores,
)
from tilescope.tiler.facts.operations.exact_columns import sum_of
from tilescope.tiler.facts.operations.graph_attribution import Way
from tilescope.tiler.facts.operations.graph_kinds import LEFT
from tilescope.tiler.facts.operations.rates import Peaks, peaks_of
from tilescope.tiler.facts.operations.track_records import track_kinds
from tilescope.tiler.facts.operations.xla_instructions import instruction_places
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.tools.answer import Answer, Fact, Note
from tilescope.tiler.tools.figures import Figures
from tilescope.tiler.tools.question import SpanQuestion
from tilescope.tiler.tools.scope import Scope

NO_OPERATIONS: Final = (
    "the trace has no operations of TPU cores or GPUs: these come with lines XLA Ops and streams of an XSpace; record "
    "a program that runs on such devices, with their tracers on"
)
ON_ASCEND: Final = (
    "the run is of Ascend devices, which run neither programs of XLA nor kernels of GPUs: what they run is elsewhere "
    "(see operators)"
)
OF_PEAK: Final = "of peak"  # the unit of shares of what a device could reach
NO_PEAK: Final = "the trace does not record the peak rates of the device"

_NO_DEVICE_CHOSEN: Final = "none of these tracks is of a device that runs operations"
_NOTHING_RUNS: Final = "no operation runs here"
_NO_PROTOS: Final = (
    "the trace does not say what operations compute or move: it has no HLO protos, which tell it of programs that XLA "
    "compiled; record with HLO protos on (enable_hlo_proto)"
)
_PROTOS_DO_NOT_TELL: Final = (
    "it is not known what these operations compute or move: they belong to none of the programs of which the trace has "
    "HLO protos, or those do not tell"
)
_OTHERS_TELL: Final = "the trace does not say what the operations here compute or move; of others in the run it does"
_TWO_CLOCKS: Final = "A range is one of the timeline's clock; times in the tables are those that the devices measured."
_MANY_NOTES: Final = 5


@dataclass(frozen=True, slots=True)
class AskedOperations:
    """Operations, and the peaks of one core."""

    source: OperationSource[Any]
    table: OpTable
    peaks: Peaks
    tick_ps: int
    notes: Sequence[Note]
    no_cores: str  # why there are no operations of devices; empty where there are
    no_costs: str  # why FLOPs and bytes of operations are not known, where they are not
    devices: Sequence[Any] = ()  # of the source

    def ticks(self, ps: int) -> int:
        """A time on the device in ticks."""
        return ps // self.tick_ps


def asked_operations(
    scope: Scope, question: SpanQuestion, *, with_idle: bool = True, source: OperationSource[Any] | None = None
) -> Interruptible[AskedOperations]:
    """The operations that a question is about: those of the devices that have one of its tracks.

    `with_idle`: the table is asked when devices are idle. `source`: None is that of the run.
    """
    question_windows = yield from scope.windows(question)
    source = source or operation_source(scope.reader)
    devices = _asked_devices(scope, source, question)
    on_track, device_time = question_windows.on_track, question_windows.device_time
    table = yield from source.table(scope.reader, devices, on_track, device_time, with_idle=with_idle)
    peaks = [peaks_of(scope.reader, device.group, scope.reader.file_of(device.tracks[0])) for device in devices]
    no_cores = "" if table.cores else _why_no_cores(scope.reader, source)
    notes = [Note("warning", no_cores)] if no_cores else []
    if len(set(peaks)) > 1:
        notes.append(Note("warning", "the devices are of several kinds: shares of peaks are those of the first"))
    notes += [Note("warning", text) for text in table.notes[:_MANY_NOTES]]
    if (more := len(table.notes) - _MANY_NOTES) > 0:
        notes.append(Note("warning", f"and {plural(more, 'more program is', 'more programs are')} not known"))
    if table.graph_times:
        notes.append(Note("info", _graph_text(table, scope.reader.tick_ps)))
    if source.has_own_clock and (question.steps or question.start is not None or question.end is not None):
        notes.append(Note("info", _TWO_CLOCKS))
    return AskedOperations(
        source,
        table,
        peaks[0] if peaks else Peaks(),
        scope.reader.tick_ps,
        notes,
        no_cores,
        (yield from _why_no_costs(scope, table)),
        devices,
    )


def _graph_text(table: OpTable, tick_ps: int) -> str:
    """Note on the attribution of the time of kernels of graphs to instructions."""
    ways: list[tuple[str, str]] = [
        (Way.NAME, "belong to instructions by names of kernels"),
        (Way.ORDER, "belong to instructions by their order"),
        (LEFT, "stay with their graphs"),
    ]
    ticks = {way: table.graph_times.get(way, 0) // tick_ps for way, _ in ways}
    parts = [f"{duration_text(ticks[way], tick_ps)} {does}" for way, does in ways if ticks[way]]
    total = duration_text(sum(table.graph_times.values()) // tick_ps, tick_ps)
    return f"kernels of CUDA graphs and command buffers take {total}{': ' if parts else ''}{', '.join(parts)}"


def asked_programs(
    scope: Scope, questions: Sequence[SpanQuestion], *, with_feeds: bool
) -> Interruptible[list[Operation | None]]:
    """The program as a whole in what each of some questions is about, on the same tracks; None: nothing runs there."""
    windows, times = [], []
    for question in questions:
        question_windows = yield from scope.windows(question)
        windows.append(question_windows.on_track)
        times.append(question_windows.device_time)
    source = operation_source(scope.reader)
    devices = _asked_devices(scope, source, questions[0])
    return (yield from source.programs(scope.reader, devices, windows, times, with_feeds=with_feeds))


def _asked_devices(scope: Scope, source: OperationSource[Any], question: SpanQuestion) -> list[Any]:
    """The devices of a source that have one of the tracks of a question, and are built."""
    tracks = frozenset(scope.leaves(question.tracks))
    return [
        device
        for device in source.devices(scope.reader)
        if tracks.intersection(device.tracks) and all(map(scope.is_done, device.tracks))
    ]


def availability(scope: Scope) -> str:
    """The reason for which a run has no answer about operations; empty if it has one."""
    return "" if has_operations(scope.reader) else _no_operations(scope.reader)


def _no_operations(reader: QueryReader) -> str:
    return ON_ASCEND if is_ascend_run(reader) else NO_OPERATIONS


def _why_no_cores(reader: QueryReader, source: OperationSource[Any]) -> str:
    """The reason for which a question is about no device: the trace has none, or only the question."""
    return _NO_DEVICE_CHOSEN if source.devices(reader) else _no_operations(reader)


def _why_no_costs(scope: Scope, table: OpTable) -> Interruptible[str]:
    """The reason for which operations would have no FLOPs and bytes: the data that the trace lacks, if that is it."""
    if not table.cores or not len(table.operations):
        return _NOTHING_RUNS
    if table.columns.tells_flops.any() or table.columns.tells_bytes.any() or (yield from _tells_costs(scope)):
        return _OTHERS_TELL
    return _PROTOS_DO_NOT_TELL if programs_of(scope.reader) else _NO_PROTOS


def _tells_costs(scope: Scope) -> Interruptible[bool]:
    """True if the trace says what any instruction of a TPU core computes or moves."""
    instructions = instruction_places(scope.reader)
    for track in (track for core in tpu_cores(scope.reader) for track in core.operations):
        kinds = track_kinds(scope.reader, track) if scope.is_done(track) else None
        places = None if kinds is None else (yield from instructions.places(track, kinds))
        if (
            places is not None
            and (instructions.columns.tells_flops[places] | instructions.columns.tells_bytes[places]).any()
        ):
            return True
    return False


def time_facts(device_operations: AskedOperations) -> list[Fact]:
    """Facts about the time of all cores, or GPUs."""
    table = device_operations.table
    has_cores = bool(table.cores)
    why = device_operations.no_cores
    span = "from the first step or operation of each device to the end of its last one, on the device's clock"
    busy = "what runs on several streams at once counts several times" if (table.overlap or 0) > 0 else ""
    return [
        Fact("cores", "Devices", table.cores, "count"),
        Fact("span", "Device time", device_operations.ticks(table.span) if has_cores else None, "ticks", why or span),
        Fact("busy", "Busy", device_operations.ticks(table.busy) if has_cores else None, "ticks", why or busy),
        Fact("idle_share", "Device idle", table.idle / table.span if table.span else None, "fraction", why),
        _utilisation(device_operations),
    ]


def time_sentence(answer: Answer, tick_ps: int) -> str:
    """Busy and idle time, where no operation is of note."""
    figures = Figures(answer, tick_ps)
    idle = f", and idle {figures.text('idle_share')} of the time" if figures.text("idle_share") else ""
    return f"Devices are busy for {figures.text('busy') or 'no time'}{idle}"


def _utilisation(device_operations: AskedOperations) -> Fact:
    columns = device_operations.table.columns
    flops, peak = sum_of(columns.flops), device_operations.peaks.flops
    name, label = "flops_utilisation", "FLOPS of peak"
    if peak is None or not device_operations.table.span:
        return Fact(name, label, None, "fraction", device_operations.no_cores or NO_PEAK)
    if not columns.tells_flops.any():
        return Fact(name, label, None, "fraction", device_operations.no_costs)
    return Fact(
        name,
        label,
        flops / (device_operations.table.span / 1e12) / peak,
        "fraction",
        "of the device time, idle included",
    )
