"""How well a run does, in figures: its steps, and what its devices and hosts do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tilescope.tiler.facts import NO_DEVICES, devices_of
from tilescope.tiler.facts.duty import duty_times
from tilescope.tiler.facts.operations import tpu_cores
from tilescope.tiler.facts.operations.exact_columns import Mask, sum_of
from tilescope.tiler.facts.operations.operation_table import OpColumns
from tilescope.tiler.query import Steps
from tilescope.tiler.tools.answer import Fact
from tilescope.tiler.tools.environment import Environment
from tilescope.tiler.tools.host_operations import NO_HOST_OPERATIONS, AskedHost
from tilescope.tiler.tools.input_pipeline.device_tables import Measured
from tilescope.tiler.tools.looked import Looked
from tilescope.tiler.tools.operations import NO_PEAK, AskedOperations
from tilescope.tiler.tools.overlap.parts import Parts, parts_of
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.step_times import AskedSteps
from tilescope.tiler.tools.steps.durations import spread

# What these move and compute, the operations in them do.
_CONTROL: Final = frozenset({"while", "conditional", "call"})

_SINGLE: Final = "of a single step there is none"
_NO_PRECISION: Final = "not recorded: kernels of GPUs say it by their names, in steps that are marked"


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
    scope: Scope, asked: AskedOperations, of: Environment, tracks: frozenset[int], looked: Looked
) -> Steps[DeviceUse]:
    """How much devices work: TPU cores by their operations, others by when anything runs on them."""
    table, peaks = asked.table, asked.peaks
    cores = [
        core
        for core in tpu_cores(scope.reader)
        if tracks & {*core.operations, *core.steps} and all(map(scope.is_done, (*core.operations, *core.steps)))
    ]
    flops = hbm = None
    if table.cores and table.span:
        seconds = table.span / 1e12
        columns = table.columns
        some = ~columns.are(_CONTROL.__contains__)
        if peaks.flops is not None and columns.tells_flops[some].any():
            flops = sum_of(columns.flops[some]) / seconds / peaks.flops
        if peaks.hbm is not None and columns.tells_bytes[some].any():
            hbm = _hbm_bytes(columns, some) / seconds / peaks.hbm
    is_of_peak = peaks.flops is None or flops is not None  # what is missing: what the device could reach
    peak_note = asked.no_cores or (NO_PEAK if is_of_peak else asked.no_costs)
    if cores and table.span:
        busy, span = yield from duty_times(scope.reader, cores, looked.of)
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
    for host in of.hosts:
        for device in host.devices:
            if all(map(scope.is_done, sorted(device.track_ids))):
                windows = looked.of(device.tracks[0].track)
                total += (yield from parts_of(scope.reader, device, windows, None, looked.within)).parts
    if not total.span:
        is_any = of.devices or (yield from devices_of(scope.reader))
        why = "devices do not work in what is looked at" if is_any else NO_DEVICES
        return DeviceUse(None, why, None, why, None, None, why)
    return DeviceUse(
        total.idle / total.span,
        "when nothing runs, from the first work of each device to the end of its last",
        total.computation / total.span,
        "when anything is computed",
        flops,
        hbm,
        peak_note,
    )


def _hbm_bytes(of: OpColumns, some: Mask) -> int:
    """Those that go to the memory of devices, or come from it; all where the trace tells of none where they go."""
    return sum_of((of.known_hbm if of.tells_memory[some].any() else of.bytes)[some])


def step_facts(steps: AskedSteps, measured: Measured | None) -> list[Fact]:
    """How long steps take."""
    if measured is None:
        return [Fact("step_mean", "Mean step", None, "ticks", steps.why)]
    of = spread(steps.ticks(measured.durations))
    return [
        Fact("steps", "Steps", len(measured.durations), "count"),
        Fact("step_mean", "Mean step", of.mean, "ticks", measured.step_note),
        Fact("step_deviation", "Deviation", of.deviation, "ticks", _SINGLE if of.deviation is None else "of a sample"),
        Fact("step_min", "Shortest", of.least, "ticks"),
        Fact("step_max", "Longest", of.greatest, "ticks"),
        Fact("input_share", "Waits for input", measured.input_share, "fraction", measured.input_note),
    ]


def device_facts(of: DeviceUse, measured: Measured | None, devices: int) -> list[Fact]:
    """How much devices work; of a run without devices, that there are none."""
    idle = Fact("device_idle", "Device idle", of.idle, "fraction", of.idle_note)
    if not devices:
        return [idle]
    included = "of the device time, idle included"
    precision = [] if measured is None else [fact for fact in measured.facts if fact.id == "low_precision"]
    return [
        idle,
        Fact("duty_cycle", "Duty cycle", of.duty, "fraction", of.duty_note),
        Fact("flops_of_peak", "FLOPS of peak", of.flops, "fraction", of.peak_note if of.flops is None else included),
        Fact("hbm_of_peak", "HBM rate of peak", of.hbm, "fraction", of.peak_note if of.hbm is None else included),
        *(precision or [Fact("low_precision", "16-bit compute", None, "fraction", _NO_PRECISION)]),
    ]


def host_facts(host: AskedHost) -> list[Fact]:
    """How much hosts work."""
    table = host.table
    if not table.span:
        return [Fact("host_idle", "Host idle", None, "fraction", NO_HOST_OPERATIONS)]
    eager = sum(of.own for of in table.operations if of.op.is_eager)
    shares = [Fact("host_idle", "Host idle", table.idle / table.span, "fraction", "of threads that run operations")]
    if table.busy and any(of.op.is_eager for of in table.operations):
        shares.append(Fact("eager", "Run eagerly", eager / table.busy, "fraction", "of the operations of hosts"))
    return shares
