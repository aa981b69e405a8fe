"""Figures as Holistic Trace Analysis 0.5.0 has them, beside exact ones, for those who compare the two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final

import numpy as np
from msgspec import Meta

from tilescope.tiler.facts import Device, devices_of
from tilescope.tiler.facts.hta_events import HtaEvents, HtaKind, hta_clock, hta_events
from tilescope.tiler.facts.launches import LaunchTimes, launch_times
from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools.answer import Column, Note, Table
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.windows import Windows

LikeHta = Annotated[
    bool,
    Meta(
        description="Also the figures as Holistic Trace Analysis 0.5.0 has them, in whole microseconds, of the whole "
        "run without its last step."
    ),
]

NOTE: Final = Note(
    "info",
    "Like HTA: times are rounded to microseconds, starts up and ends down; of a run with several steps what is "
    "launched in the last one is left out, and what has no recorded launch; kinds are told by names alone. These "
    "figures are of the whole run.",
)

_MTIA: Final = "runFunction - job_prep_and_submit_for_execution"
_LAUNCHES: Final = frozenset({"cudaLaunchKernel", "cudaLaunchKernelExC", "cudaMemcpyAsync", "cudaMemsetAsync", _MTIA})
LABELS: Final = {
    "only_computation": "COMPUTATION",
    "only_communication": "COMMUNICATION",
    "only_memory": "MEMORY",
    "computation_communication": "COMPUTATION overlapping COMMUNICATION",
    "computation_memory": "COMPUTATION overlapping MEMORY",
    "communication_memory": "COMMUNICATION overlapping MEMORY",
    "all_kinds": "COMPUTATION overlapping COMMUNICATION overlapping MEMORY",
}


def breakdown_table(scope: Scope, device_rows: Sequence[Device]) -> Interruptible[Table]:
    """Temporal breakdown, overlap and kinds of kernels of devices."""
    rows: list[tuple[Device, list[int], list[int], float | None]] = []
    for device in device_rows:
        events = yield from hta_events(scope.reader, device)
        start, stop = events.merged()
        span = int(stop[-1] - start[0]) if len(start) else 0
        busy = int(stop.sum() - start.sum())
        first, last = events.take(events.kind == HtaKind.COMPUTATION).merged()
        computation = int(last.sum() - first.sum())
        kinds = [events.windows(kind) for kind in (HtaKind.COMPUTATION, HtaKind.COMMUNICATION, HtaKind.MEMORY)]
        alone = kinds[1].without(kinds[0]).ticks
        hidden = 1 - alone / kinds[1].ticks if kinds[1].ticks else None
        rows.append((device, [span, span - busy, computation, busy - computation], _labels(kinds), hidden))
        yield
    columns = [Column("device", "Device", "name", [device.name for device, *_ in rows])]
    for place, (name, title) in enumerate(_TIMES):
        columns.append(Column(name, title, "count", [times[place] for _, times, _, _ in rows]))
    for place, (name, title) in enumerate(LABELS.items()):
        columns.append(Column(name, title, "count", [labels[place] for _, _, labels, _ in rows]))
    columns.append(Column("overlap", "comp_comm_overlap", "fraction", [hidden for *_, hidden in rows], total="none"))
    return Table("hta", "Like HTA, µs", columns)


_TIMES: Final = (
    ("kernel_time", "kernel_time(us)"),
    ("idle_time", "idle_time(us)"),
    ("compute_time", "compute_time(us)"),
    ("non_compute_time", "non_compute_time(us)"),
)


def _labels(kinds: Sequence[Windows]) -> list[int]:
    """Microseconds of each label of the kernel breakdown."""
    computation, communication, memory = kinds

    def both(first: Windows, second: Windows) -> Windows:
        return first.without(first.without(second))

    return [
        computation.without(communication, memory).ticks,
        communication.without(computation, memory).ticks,
        memory.without(computation, communication).ticks,
        both(computation, communication).without(memory).ticks,
        both(computation, memory).without(communication).ticks,
        both(communication, memory).without(computation).ticks,
        both(both(computation, communication), memory).ticks,
    ]


def idle_table(scope: Scope, device_rows: Sequence[Device], short_gap_us: int) -> Interruptible[Table]:
    """Idle time of streams by what they wait for."""
    names, figures = [], []
    tracks = []
    for device in device_rows:
        events = yield from hta_events(scope.reader, device)
        for track in np.unique(events.track).tolist():
            names.append(f"{device.name} › {scope.reader.tree.tracks[track].name}")
            figures.append(_waits(events.take(events.track == track), short_gap_us))
            tracks.append(track)
        yield
    titles = (("host_wait", "host_wait"), ("kernel_wait", "kernel_wait"), ("other_wait", "other"))
    columns = [Column("lane", "Stream", "name", names)]
    for place, (name, title) in enumerate(titles):
        columns.append(Column(name, title, "count", [waits[place] for waits in figures]))
    return Table("hta", "Like HTA, µs", [*columns, Column("track", "Track", "track", tracks)])


def _waits(events: HtaEvents, short_gap_us: int) -> list[int]:
    """Microseconds of host wait, kernel wait, and others; gaps of work that overlaps count below 0."""
    before, gap = events.stop[:-1], events.start[1:] - events.stop[:-1]
    is_host = events.launch[1:] > before
    is_kernel = ~is_host & (gap < short_gap_us)
    return [int(gap[which].sum()) for which in (is_host, is_kernel, ~is_host & ~is_kernel)]


def launches_table(scope: Scope, device_rows: Sequence[Device]) -> Interruptible[Table]:
    """Launches of devices, of the calls that HTA knows."""
    rows: list[tuple[str, list[int]]] = []
    is_launch = yield from scope.reader.names.numbers(lambda name: int(name.text in _LAUNCHES))
    for device in device_rows:
        clock = yield from hta_clock(scope.reader, device.tracks[0].track)
        times: LaunchTimes = yield from launch_times(scope.reader, device)
        times = times.take(is_launch[times.call_name + 1] != 0)
        call_start, call_stop = clock.up(times.call_start), clock.down(times.call_start + times.call_duration)
        start, stop = clock.up(times.start), clock.down(times.start + times.duration)
        which = np.ones(len(times), np.bool_) if clock.last_step is None else call_start < clock.last_step
        delay = np.maximum(start - call_stop, 0)
        columns = (which, call_stop - call_start, stop - start, delay)
        rows.append((device.name, [int(column[which].sum()) for column in columns]))
        yield
    titles = (
        ("launches", "Launches"),
        ("cpu_duration", "cpu_duration"),
        ("gpu_duration", "gpu_duration"),
        ("launch_delay", "launch_delay"),
    )
    columns_of_table = [Column("device", "Device", "name", [name for name, _ in rows])]
    for place, (name, title) in enumerate(titles):
        columns_of_table.append(Column(name, title, "count", [sums[place] for _, sums in rows]))
    return Table("hta", "Like HTA, µs", columns_of_table)


def hta_devices(scope: Scope) -> Interruptible[list[Device]]:
    """The devices of which HTA has figures: with streams, of a whole run."""
    devices = yield from devices_of(scope.reader)
    return [device for device in devices if device.tracks and not device.beside] if scope.reader.is_whole else []
