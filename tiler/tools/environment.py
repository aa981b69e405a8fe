"""The hosts and devices of a run, and what their captures say of themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tilescope.tiler.count_text import plural
from tilescope.tiler.device_lines import DEVICE_PREFIX, HOST_PLANE, is_ascend_device
from tilescope.tiler.facts import Device, devices_of
from tilescope.tiler.facts.ascend_tracks import is_ascend_run
from tilescope.tiler.facts.batch_size import BatchSizes
from tilescope.tiler.facts.devices import plane_of
from tilescope.tiler.facts.operations.rates import peaks_of
from tilescope.tiler.facts.plane_facts import PlaneFacts, plane_facts
from tilescope.tiler.facts.pytorch_capture import PyTorchCapture, pytorch_captures
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.tools.answer import Column, Fact, Note, Table, Value

MXU: Final = "matrix_unit_utilization_percent"
HBM: Final = "hbm_utilization_percent"
_DROPPED: Final = "dropped_traces"
_NO_COUNTERS: Final = "not recorded: counters of the hardware come with TPU captures on hosts of Cloud TPUs"
_DEVICE: Final = re.compile(rf"{DEVICE_PREFIX}(TPU|GPU):[0-9]+")
_NUMBERED_GPU: Final = re.compile(r"GPU ([0-9]{1,9})")
_NO_BATCH: Final = (
    "not recorded: Keras' fit writes it; say it yourself where you mark steps, "
    'StepTraceAnnotation("train", step_num=i, batch_size=n)'
)
_NO_BATCH_OF_PYTORCH: Final = "not recorded: PyTorch's profiler does not write it"


@dataclass(frozen=True, slots=True)
class HostPart:
    """One host of a run: its devices, and what its planes say. A host has a file, or several."""

    name: str
    group: int | None
    devices: Sequence[Device]
    planes: Sequence[PlaneFacts]

    def counter(self, name: str) -> float | None:
        """A share that a counter of the hardware had over the whole capture."""
        values = [plane.number(name) for plane in self.planes if plane.plane == HOST_PLANE]
        numbers = [value for value in values if value is not None]
        return sum(numbers) / len(numbers) / 100 if numbers else None

    @property
    def dropped(self) -> int:
        """Events that the profiler lost, as it says."""
        return int(sum(plane.number(_DROPPED) or 0 for plane in self.planes))


@dataclass(frozen=True, slots=True)
class Environment:
    """The hosts that are looked at."""

    hosts: Sequence[HostPart]
    kinds: Sequence[str]  # of devices, each once

    @property
    def working(self) -> int:
        """Number of devices that work."""
        return sum(len(host.devices) for host in self.hosts)

    @property
    def devices(self) -> int:
        """Number of devices: those that work, and those of which the trace has the properties alone."""
        return max(
            self.working, sum(bool(_DEVICE.fullmatch(plane.plane)) for host in self.hosts for plane in host.planes)
        )

    def counter(self, name: str) -> float | None:
        """The mean of the hosts that recorded it."""
        shares = [value for host in self.hosts if (value := host.counter(name)) is not None]
        return sum(shares) / len(shares) if shares else None


def environment(reader: QueryReader, tracks: frozenset[int]) -> Interruptible[Environment]:
    """That of the hosts that have some of these tracks. Raises DamagedStore."""
    tree = reader.tree
    devices = yield from devices_of(reader)
    files: dict[int | None, set[int]] = {}
    for track in sorted(tracks):
        group: int | None = tree.tracks[track].group
        while group is not None and tree.groups[group].kind != "host":
            group = tree.groups[group].parent
        files.setdefault(group, set()).add(reader.file_of(track))
    planes = plane_facts(reader) if reader.is_whole else []
    captures = pytorch_captures(reader)
    yield
    hosts, kinds = [], set()
    for group, file_ids in sorted(files.items(), key=lambda entry: -1 if entry[0] is None else entry[0]):
        own = [device for device in devices if device.host == group and device.track_ids & tracks]
        name = "" if group is None else tree.groups[group].name
        hosts.append(HostPart(name, group, own, [plane for plane in planes if plane.file in file_ids]))
        for device in own:
            track = device.tracks[0].track
            plane, file = plane_of(tree.groups[device.group]), reader.file_of(track)
            kind = peaks_of(reader, device.group, file).device if reader.is_whole else ""
            kinds.add(kind or _pytorch_name(captures.get(file), plane) or _kind(plane))
    if not kinds and is_ascend_run(reader):
        kinds.add("Ascend")  # whose work was not recorded, only when its steps begin and end
    return Environment(hosts, sorted(kinds))


def _pytorch_name(capture: PyTorchCapture | None, plane: str) -> str:
    """Name of the product that a process is, "GPU 3" by its label; empty: not recorded."""
    match = _NUMBERED_GPU.fullmatch(plane)
    properties = capture.devices.get(int(match[1])) if capture is not None and match is not None else None
    return "" if properties is None else properties.name


def _kind(plane: str) -> str:
    """Kind of a device whose plane does not say it: "/device:GPU:3" is a GPU."""
    if is_ascend_device(plane):
        return "Ascend"
    for kind in ("TPU", "GPU", "Ascend"):
        if kind.casefold() in plane.casefold():
            return kind
    return "accelerator"


_MARKS_ALONE: Final = "no work of any was recorded, only when its steps begin and end"


def environment_facts(
    run_environment: Environment, batch: BatchSizes | None, *, has_steps: bool, is_pytorch: bool
) -> list[Fact]:
    """Facts about a run: its hosts, devices and task, as far as the trace says."""
    idle = (
        f"{run_environment.working} of them compute or copy"
        if run_environment.working < run_environment.devices
        else ""
    )
    devices = run_environment.devices or (None if run_environment.kinds else 0)
    training = "training" if has_steps else "inference, or not marked"
    return [
        Fact("hosts", "Hosts", len(run_environment.hosts), "count"),
        Fact("device_type", "Device", ", ".join(run_environment.kinds) or "CPU", "text"),
        Fact("devices", "Devices", devices, "count", _MARKS_ALONE if devices is None else idle),
        Fact("task", "Task", training, "text", "it marks steps" if has_steps else "it marks no steps"),
        Fact(
            "batch_size",
            "Batch size",
            None if batch is None else batch.most,
            "count",
            _NO_BATCH_OF_PYTORCH if is_pytorch and batch is None else _batch_note(batch),
        ),
    ]


def _batch_note(batch: BatchSizes | None) -> str:
    if batch is None:
        return _NO_BATCH
    varies = "" if batch.least == batch.most else f"the largest; the smallest is {batch.least:,}; "
    coverage = "" if batch.read == batch.marked else f", {batch.read:,} of {batch.marked:,} read"
    return f"{varies}said where steps are marked{coverage}"


def counter_facts(run_environment: Environment) -> list[Fact]:
    """Facts from hardware counters, over the whole capture; none for devices without such counters."""
    if not any(kind.startswith("TPU") for kind in run_environment.kinds) and run_environment.counter(MXU) is None:
        return []
    whole = "mean of the hosts, over the whole capture" if len(run_environment.hosts) > 1 else "over the whole capture"
    facts = []
    for name, label, stat in (("mxu", "MXU busy", MXU), ("hbm", "HBM busy", HBM)):
        value = run_environment.counter(stat)
        facts.append(Fact(name, label, value, "fraction", _NO_COUNTERS if value is None else whole))
    return facts


def host_table(run_environment: Environment) -> Table:
    """The hosts, one by one."""

    def counters(name: str) -> list[Value]:
        return [host.counter(name) for host in run_environment.hosts]

    first = [host.devices[0].tracks[0].track if host.devices else None for host in run_environment.hosts]
    columns = [
        Column("host", "Host", "name", [host.name or "this host" for host in run_environment.hosts]),
        Column("devices", "Devices", "count", [len(host.devices) for host in run_environment.hosts]),
        Column("mxu", "MXU busy", "fraction", counters(MXU), total="none"),
        Column("hbm", "HBM busy", "fraction", counters(HBM), total="none"),
        Column("dropped", "Lost events", "count", [host.dropped for host in run_environment.hosts]),
        Column("track", "Track", "track", first),
    ]
    return Table("hosts", "Hosts", columns)


def loss_notes(run_environment: Environment) -> Iterator[Note]:
    """Warnings of what a capture lost."""
    for host in run_environment.hosts:
        if host.dropped:
            where = f" of {host.name}" if host.name else ""
            text = (
                f"the profiler{where} lost {plural(host.dropped, 'trace', 'traces')}: counts and times are too low; "
                "record a shorter time, or fewer tracers"
            )
            yield Note("warning", text)
