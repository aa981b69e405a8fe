"""What a run is: its hosts and devices, and what their captures say of themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tilescope.tiler.device_lines import DEVICE_PREFIX
from tilescope.tiler.facts import Device, devices_of
from tilescope.tiler.facts.batch_size import BatchSizes
from tilescope.tiler.facts.devices import plane_of
from tilescope.tiler.facts.host_operations.event_ops import HOST_PLANE
from tilescope.tiler.facts.operations.rates import peaks_of
from tilescope.tiler.facts.plane_facts import PlaneFacts, plane_facts
from tilescope.tiler.query import QueryReader, Steps
from tilescope.tiler.tools.answer import Column, Fact, Note, Table, Value

MXU: Final = "matrix_unit_utilization_percent"
HBM: Final = "hbm_utilization_percent"
_DROPPED: Final = "dropped_traces"
_NO_COUNTERS: Final = "not recorded: counters of the hardware come with TPU captures on hosts of Cloud TPUs"
_DEVICE: Final = re.compile(rf"{DEVICE_PREFIX}(TPU|GPU):[0-9]+")
_NO_BATCH: Final = (
    "not recorded: Keras' fit writes it; say it yourself where you mark steps, "
    'StepTraceAnnotation("train", step_num=i, batch_size=n)'
)


@dataclass(frozen=True, slots=True)
class HostPart:
    """One host of a run: its devices, and what its planes say. A host has a file, or several."""

    name: str
    group: int | None
    devices: Sequence[Device]
    planes: Sequence[PlaneFacts]

    def counter(self, name: str) -> float | None:
        """A share that a counter of the hardware had over the whole capture."""
        values = [of.number(name) for of in self.planes if of.plane == HOST_PLANE]
        known = [value for value in values if value is not None]
        return sum(known) / len(known) / 100 if known else None

    @property
    def dropped(self) -> int:
        """Events that the profiler lost, as it says."""
        return int(sum(of.number(_DROPPED) or 0 for of in self.planes))


@dataclass(frozen=True, slots=True)
class Environment:
    """The hosts that are looked at."""

    hosts: Sequence[HostPart]
    kinds: Sequence[str]  # of devices, each once

    @property
    def working(self) -> int:
        """How many devices work."""
        return sum(len(host.devices) for host in self.hosts)

    @property
    def devices(self) -> int:
        """How many there are: those that work, and those of which the trace has the properties alone."""
        return max(self.working, sum(bool(_DEVICE.fullmatch(of.plane)) for host in self.hosts for of in host.planes))

    def counter(self, name: str) -> float | None:
        """The mean of the hosts that recorded it."""
        known = [value for host in self.hosts if (value := host.counter(name)) is not None]
        return sum(known) / len(known) if known else None


def environment(reader: QueryReader, tracks: frozenset[int]) -> Steps[Environment]:
    """That of the hosts that have some of these tracks. Raises DamagedStore."""
    tree, store = reader.tree, reader.store
    devices = yield from devices_of(reader)
    files: dict[int | None, set[int]] = {}
    for track in sorted(tracks):
        group: int | None = int(tree.tracks[track]["group"])
        while group is not None and tree.groups[group]["kind"] != "host":
            group = tree.groups[group]["parent"]
        files.setdefault(group, set()).add(store.file_of(track))
    planes = plane_facts(reader) if reader.is_whole else []
    yield
    hosts, kinds = [], set()
    for group, of in sorted(files.items(), key=lambda one: -1 if one[0] is None else one[0]):
        own = [device for device in devices if device.host == group and device.track_ids & tracks]
        name = "" if group is None else str(tree.groups[group]["name"])
        hosts.append(HostPart(name, group, own, [one for one in planes if one.file in of]))
        for device in own:
            track = device.tracks[0].track
            kind = peaks_of(reader, device.group, store.file_of(track)).device if reader.is_whole else ""
            kinds.add(kind or _kind(plane_of(tree.groups[device.group])))
    return Environment(hosts, sorted(kinds))


def _kind(plane: str) -> str:
    """What a device is called where its plane does not say it: "/device:GPU:3" is a GPU."""
    for kind in ("TPU", "GPU", "Ascend"):
        if kind.casefold() in plane.casefold():
            return kind
    return "accelerator"


def environment_facts(of: Environment, batch: BatchSizes | None, *, has_steps: bool) -> list[Fact]:
    """What a run is, as far as the trace says."""
    idle = f"{of.working} of them work" if of.working < of.devices else ""
    training = "training" if has_steps else "inference, or not marked"
    return [
        Fact("hosts", "Hosts", len(of.hosts), "count"),
        Fact("device_type", "Device", ", ".join(of.kinds) or "CPU", "text"),
        Fact("devices", "Devices", of.devices, "count", idle),
        Fact("task", "Task", training, "text", "it marks steps" if has_steps else "it marks no steps"),
        Fact("batch_size", "Batch size", None if batch is None else batch.most, "count", _batch_note(batch)),
    ]


def _batch_note(of: BatchSizes | None) -> str:
    if of is None:
        return _NO_BATCH
    varies = "" if of.least == of.most else f"the largest; the smallest is {of.least:,}; "
    some = "" if of.read == of.marked else f", {of.read:,} of {of.marked:,} read"
    return f"{varies}said where steps are marked{some}"


def counter_facts(of: Environment) -> list[Fact]:
    """What the hardware counted, over the whole capture; nothing of devices that have no such counters."""
    if not any(kind.startswith("TPU") for kind in of.kinds) and of.counter(MXU) is None:
        return []
    whole = "mean of the hosts, over the whole capture" if len(of.hosts) > 1 else "over the whole capture"
    found = []
    for name, label, stat in (("mxu", "MXU busy", MXU), ("hbm", "HBM busy", HBM)):
        value = of.counter(stat)
        found.append(Fact(name, label, value, "fraction", _NO_COUNTERS if value is None else whole))
    return found


def host_table(of: Environment) -> Table:
    """The hosts, one by one."""

    def counters(name: str) -> list[Value]:
        return [host.counter(name) for host in of.hosts]

    first = [host.devices[0].tracks[0].track if host.devices else None for host in of.hosts]
    columns = [
        Column("host", "Host", "name", [host.name or "this host" for host in of.hosts]),
        Column("devices", "Devices", "count", [len(host.devices) for host in of.hosts]),
        Column("mxu", "MXU busy", "fraction", counters(MXU), total="none"),
        Column("hbm", "HBM busy", "fraction", counters(HBM), total="none"),
        Column("dropped", "Lost events", "count", [host.dropped for host in of.hosts]),
        Column("track", "Track", "track", first),
    ]
    return Table("hosts", "Hosts", columns)


def loss_notes(of: Environment) -> Iterator[Note]:
    """Warnings of what a capture lost."""
    for host in of.hosts:
        if host.dropped:
            where = f" of {host.name}" if host.name else ""
            text = (
                f"the profiler{where} lost {host.dropped:,} traces: counts and times are too low; "
                "record a shorter time, or fewer tracers"
            )
            yield Note("warning", text)
