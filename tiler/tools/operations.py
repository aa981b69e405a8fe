"""The operations that a question is about, and the peaks of their devices, for several tools."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tilescope.tiler.facts.hlo.programs import programs_of
from tilescope.tiler.facts.operations import (
    GpuDevice,
    Operation,
    OpTable,
    TpuCore,
    gpu_devices,
    gpu_op_table,
    op_table,
    tpu_cores,
)
from tilescope.tiler.facts.operations.instruction_columns import sum_of
from tilescope.tiler.facts.operations.instruction_places import instruction_places
from tilescope.tiler.facts.operations.kept_tables import kept_table
from tilescope.tiler.facts.operations.peaks import Peaks, peaks_of
from tilescope.tiler.facts.operations.program_sums import program_sums
from tilescope.tiler.facts.operations.records import track_kinds
from tilescope.tiler.facts.operations.roofline import program
from tilescope.tiler.query import QueryReader, Steps
from tilescope.tiler.tools.answer import Fact, Note
from tilescope.tiler.tools.question import SpanQuestion
from tilescope.tiler.tools.question_windows import QuestionWindows
from tilescope.tiler.tools.scope import Scope

NO_OPERATIONS: Final = (
    "the trace has no operations of TPU cores or GPUs: these come with lines XLA Ops and streams of an XSpace; record "
    "a program that runs on such devices, with their tracers on"
)
OF_PEAK: Final = "of peak"  # the unit of shares of what a device could reach
NO_PEAK: Final = "the trace does not say what the device could reach"

_NO_DEVICE_CHOSEN: Final = "none of these tracks is of a TPU core or a GPU"
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

    table: OpTable
    peaks: Peaks
    tick_ps: int
    notes: Sequence[Note]
    no_cores: str  # why there are no operations of devices; empty where there are
    no_costs: str  # why FLOPs and bytes of operations are not known, where they are not
    is_gpu: bool = False

    def ticks(self, ps: int) -> int:
        """A time on the device in ticks."""
        return ps // self.tick_ps


def asked_operations(scope: Scope, question: SpanQuestion) -> Steps[AskedOperations]:
    """The operations that a question is about: those of the devices that have one of its tracks."""
    question_windows = yield from scope.windows(question)
    tracks = frozenset(scope.leaves(question.tracks))
    table_and_peaks = yield from _of_tpus(scope, tracks, question_windows)
    is_tpu = table_and_peaks is not None
    if table_and_peaks is None:
        table_and_peaks = yield from _of_gpus(scope, tracks, question_windows)
    table, peaks = table_and_peaks
    no_cores = "" if table.cores else _why_no_cores(scope.reader)
    notes = [Note("warning", no_cores)] if no_cores else []
    if len(set(peaks)) > 1:
        notes.append(Note("warning", "the devices are of several kinds: shares of peaks are those of the first"))
    notes += [Note("warning", text) for text in table.notes[:_MANY_NOTES]]
    if len(table.notes) > _MANY_NOTES:
        notes.append(Note("warning", f"and {len(table.notes) - _MANY_NOTES:,} more programs are not known"))
    if is_tpu and (question.steps or question.start is not None or question.end is not None):
        notes.append(Note("info", _TWO_CLOCKS))
    return AskedOperations(
        table,
        peaks[0] if peaks else Peaks(),
        int(scope.manifest["tick_ps"]),
        notes,
        no_cores,
        (yield from _why_no_costs(scope, table)),
        not is_tpu,
    )


def asked_programs(
    scope: Scope, questions: Sequence[SpanQuestion], *, with_feeds: bool
) -> Steps[list[Operation | None]]:
    """The program as a whole in what each of some questions is about, on the same tracks; None: nothing runs there."""
    all_windows = []
    for question in questions:
        all_windows.append((yield from scope.windows(question)))
    tracks = frozenset(scope.leaves(questions[0].tracks))
    every = tpu_cores(scope.reader)
    if every:
        cores = _asked_cores(scope, tracks, every)
        return (
            yield from program_sums(
                scope.reader,
                cores,
                [question_windows.on_track for question_windows in all_windows],
                with_feeds=with_feeds,
            )
        )
    programs = []
    for question_windows in all_windows:
        table, _ = yield from _of_gpus(scope, tracks, question_windows)
        programs.append(program(table, with_feeds=with_feeds) if table.operations else None)
    return programs


_TableAndPeaks = tuple[OpTable, list[Peaks]]


def _of_tpus(scope: Scope, tracks: frozenset[int], question_windows: QuestionWindows) -> Steps[_TableAndPeaks | None]:
    every = tpu_cores(scope.reader)
    if not every:
        return None
    cores = _asked_cores(scope, tracks, every)
    core_tracks = [track for core in cores for track in (*core.operations, *core.steps)]
    table = yield from kept_table(
        scope.reader,
        "cores",
        core_tracks,
        question_windows.on_track,
        lambda: op_table(scope.reader, cores, question_windows.on_track),
    )
    return table, [_peaks(scope, core, core.operations[0]) for core in cores]


def _asked_cores(scope: Scope, tracks: frozenset[int], every: Sequence[TpuCore]) -> list[TpuCore]:
    return [core for core in every if _is_asked(scope, tracks, (*core.operations, *core.steps))]


def _of_gpus(scope: Scope, tracks: frozenset[int], question_windows: QuestionWindows) -> Steps[_TableAndPeaks]:
    devices = [device for device in gpu_devices(scope.reader) if _is_asked(scope, tracks, device.streams)]
    streams = [track for device in devices for track in device.streams]
    table = yield from kept_table(
        scope.reader,
        "gpus",
        streams,
        question_windows.on_track,
        lambda: gpu_op_table(scope.reader, devices, question_windows.on_track),
    )
    return table, [_peaks(scope, device, device.streams[0]) for device in devices]


def _is_asked(scope: Scope, tracks: frozenset[int], device_tracks: tuple[int, ...]) -> bool:
    return bool(tracks.intersection(device_tracks)) and all(map(scope.is_done, device_tracks))


def _peaks(scope: Scope, device: TpuCore | GpuDevice, track: int) -> Peaks:
    return peaks_of(scope.reader, device.group, scope.reader.file_of(track))


def availability(scope: Scope) -> str:
    """The reason for which a run has no answer about operations; empty if it has one."""
    return "" if _has_cores(scope.reader) else NO_OPERATIONS


def _has_cores(reader: QueryReader) -> bool:
    return bool(tpu_cores(reader) or gpu_devices(reader))


def _why_no_cores(reader: QueryReader) -> str:
    """The reason for which a question is about no device: the trace has none, or only the question."""
    return _NO_DEVICE_CHOSEN if _has_cores(reader) else NO_OPERATIONS


def _why_no_costs(scope: Scope, table: OpTable) -> Steps[str]:
    """The reason for which operations would have no FLOPs and bytes: the data that the trace lacks, if that is it."""
    if not table.cores or not len(table.operations):
        return _NOTHING_RUNS
    if table.columns.tells_flops.any() or table.columns.tells_bytes.any() or (yield from _tells_costs(scope)):
        return _OTHERS_TELL
    return _PROTOS_DO_NOT_TELL if programs_of(scope.reader) else _NO_PROTOS


def _tells_costs(scope: Scope) -> Steps[bool]:
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
    busy = "what runs on several streams at once counts several times" if table.overlap else ""
    return [
        Fact("cores", "Devices", table.cores, "count"),
        Fact("span", "Device time", device_operations.ticks(table.span) if has_cores else None, "ticks", why or span),
        Fact("busy", "Busy", device_operations.ticks(table.busy) if has_cores else None, "ticks", why or busy),
        Fact("idle_share", "Idle", table.idle / table.span if table.span else None, "fraction", why),
        _utilisation(device_operations),
    ]


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
