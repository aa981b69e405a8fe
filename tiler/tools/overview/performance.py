"""Figures of a run's performance: its steps, and the use of its devices and hosts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from tilescope.tiler.facts import NO_DEVICE_TRACKS, devices_of, no_devices
from tilescope.tiler.facts.device_parts import Parts, parts_of
from tilescope.tiler.facts.duty import duty_times
from tilescope.tiler.facts.operations import tpu_cores
from tilescope.tiler.facts.operations.exact_columns import Mask, sum_of
from tilescope.tiler.facts.operations.operation import OpColumns
from tilescope.tiler.facts.operators_end import BEHIND_OPERATORS, recorded_range
from tilescope.tiler.query import Interruptible
from tilescope.tiler.records.device.xla_words import is_control
from tilescope.tiler.tools.answer import Fact
from tilescope.tiler.tools.environment import Environment
from tilescope.tiler.tools.host_operations import NO_HOST_OPERATIONS, AskedHost
from tilescope.tiler.tools.input_pipeline.device_tables import Measured
from tilescope.tiler.tools.operations import NO_OPERATIONS, NO_PEAK, AskedOperations
from tilescope.tiler.tools.question_windows import QuestionWindows, recorded_span
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.step_times import AskedSteps
from tilescope.tiler.tools.steps.durations import spread

_SINGLE: Final = "needs two steps"
_NO_PRECISION: Final = "not recorded: kernels of GPUs say it by their names, in steps that are marked"


# What is asked first of a run. A page shows six that were recorded, and folds the others.
_FIRST: Final = (
    *("step_mean", "input_share", "device_idle", "flops_of_peak", "devices", "device_type"),
    *("host_idle", "hosts", "steps", "task"),
)


def in_order(facts: Iterable[Fact]) -> list[Fact]:
    """Facts about a run, those that are asked first before all others."""
    return sorted(facts, key=lambda fact: _FIRST.index(fact.id) if fact.id in _FIRST else len(_FIRST))


@dataclass(frozen=True, slots=True)
class DeviceUse:
    """Shares; None: not known, and why."""

    idle: float | None
    idle_note: str
    duty: float | None
    duty_note: str
    flops: float | None  # of the peak, idle time included
    hbm: float | None
    peak_note: str


def device_use(
    scope: Scope,
    device_operations: AskedOperations,
    run_environment: Environment,
    tracks: frozenset[int],
    question_windows: QuestionWindows,
) -> Interruptible[DeviceUse]:
    """Use of devices: of TPU cores by their operations, of others by when anything runs on them."""
    table, peaks = device_operations.table, device_operations.peaks
    cores = [
        core
        for core in tpu_cores(scope.reader)
        if tracks & {*core.operations, *core.steps} and all(map(scope.is_done, (*core.operations, *core.steps)))
    ]
    flops = hbm = None
    if table.cores and table.span:
        seconds = table.span / 1e12
        columns = table.columns
        is_work = ~columns.are(is_control)  # what these move and compute, the operations in them do
        if peaks.flops is not None and columns.tells_flops[is_work].any():
            flops = sum_of(columns.flops[is_work]) / seconds / peaks.flops
        if peaks.hbm is not None and columns.tells_bytes[is_work].any():
            hbm = _hbm_bytes(columns, is_work) / seconds / peaks.hbm
    is_of_peak = peaks.flops is None or flops is not None  # what is missing: the peak rates of the device
    peak_note = device_operations.no_cores or (NO_PEAK if is_of_peak else device_operations.no_costs)
    if cores and table.span:
        busy, span = yield from duty_times(scope.reader, cores, question_windows.on_track)
        return DeviceUse(
            table.idle / table.span if table.span else None,
            "when no operation runs, on the device's clock",
            busy / span if span else None,
            "operations other than infeed, outfeed and transfers to and from the host",
            flops,
            hbm,
            peak_note,
        )
    total = Parts()
    is_cut = False
    for host in run_environment.hosts:
        for device in host.devices:
            if all(map(scope.is_done, sorted(device.track_ids))):
                windows, begin = question_windows.on_device(device), question_windows.first_launch(device)
                within = yield from recorded_range(scope.reader, device, question_windows.within)
                is_cut |= within != question_windows.within
                if within.start < within.stop:
                    device_parts = yield from parts_of(scope.reader, device, windows, None, within, first_launch=begin)
                    total += device_parts.parts
    if not total.span:
        why = NO_DEVICE_TRACKS if (yield from devices_of(scope.reader)) else (yield from no_devices(scope.reader))
        if run_environment.devices:
            why = "devices do no work in this range"
        if is_cut:
            why = BEHIND_OPERATORS
        return DeviceUse(None, why, None, why, None, None, why)
    return DeviceUse(
        total.idle / total.span,
        f"when nothing runs, {recorded_span(is_cut=is_cut)}",
        total.computation / total.span,
        "when anything is computed",
        flops,
        hbm,
        NO_PEAK if device_operations.no_cores == NO_OPERATIONS else peak_note,  # its devices did work
    )


def _hbm_bytes(columns: OpColumns, is_work: Mask) -> int:
    """Bytes to and from the memory of devices; all bytes where the trace never tells where they go."""
    return sum_of((columns.known_hbm if columns.tells_memory[is_work].any() else columns.bytes)[is_work])


def step_facts(steps: AskedSteps, measured: Measured | None) -> list[Fact]:
    """Facts about the durations of steps."""
    if measured is None:
        return [Fact("step_mean", "Mean step", None, "ticks", steps.why)]
    durations = spread(steps.ticks(measured.durations), measured.in_means)
    return [
        Fact("steps", "Steps", len(measured.durations), "count"),
        Fact("step_mean", steps.duration_title("Mean step"), durations.mean, "ticks", measured.step_note),
        Fact(
            "step_deviation",
            steps.duration_title("Deviation"),
            durations.deviation,
            "ticks",
            _SINGLE if durations.deviation is None else "standard deviation",
        ),
        Fact("step_min", steps.duration_title("Shortest"), durations.least, "ticks"),
        Fact("step_max", steps.duration_title("Longest"), durations.greatest, "ticks"),
        Fact("input_share", measured.input_label, measured.input_share, "fraction", measured.input_note),
    ]


def device_facts(use: DeviceUse, measured: Measured | None, devices: int) -> list[Fact]:
    """Facts about the use of devices; of a run without devices, that there are none."""
    idle = Fact("device_idle", "Device idle", use.idle, "fraction", use.idle_note)
    if not devices:
        return [idle]
    included = "of the device time, idle included"
    precision = [] if measured is None else [fact for fact in measured.facts if fact.id == "low_precision"]
    return [
        idle,
        Fact("duty_cycle", "Duty cycle", use.duty, "fraction", use.duty_note),
        Fact("flops_of_peak", "FLOPS of peak", use.flops, "fraction", use.peak_note if use.flops is None else included),
        Fact("hbm_of_peak", "HBM rate of peak", use.hbm, "fraction", use.peak_note if use.hbm is None else included),
        *(precision or [Fact("low_precision", "16-bit compute", None, "fraction", _NO_PRECISION)]),
    ]


def host_facts(host: AskedHost) -> list[Fact]:
    """Facts about the use of hosts."""
    table = host.table
    if not table.span:
        return [Fact("host_idle", "Host idle", None, "fraction", NO_HOST_OPERATIONS)]
    eager = sum(operation.own for operation in table.operations if operation.op.is_eager)
    shares = [host.idle_fact("host_idle")]
    if table.busy and any(operation.op.is_eager for operation in table.operations):
        shares.append(Fact("eager", "Run eagerly", eager / table.busy, "fraction", "of the operations of hosts"))
    return shares
