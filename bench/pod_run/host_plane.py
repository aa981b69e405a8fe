"""The plane of a host of a synthetic run: its steps, how it feeds its devices, and what they allocate."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from bench.pod_run.device_plane import flow_id
from bench.pod_run.schedule import Schedule
from bench.pod_run.shape import PodShape
from bench.pod_run.wire import Value, message, number, stat, text

UTILISATION: Final = {"matrix_unit_utilization_percent": 30.5, "hbm_utilization_percent": 12.25}  # of the first host
READER, BATCH, MAP = "Iterator::FlatMap", "Iterator::Prefetch::BatchV2", "Iterator::Prefetch::BatchV2::ParallelMapV2"
SHUFFLE: Final = f"{MAP}::Shuffle"
ENQUEUE: Final = "input_pipeline_task0/while/body/InfeedQueue/enqueue/0:InfeedEnqueueTuple"

_US: Final = 1_000_000
_PLANE: Final = 40
_STATS: Final = (
    "step_num",
    "_r",
    "batch_size",
    "device_ordinal",
    "_pt",
    "_p",
    "run_id",
    "id",
    "parent_id",
    "index_on_host",
    "allocator_name",
    "bytes_reserved",
    "bytes_allocated",
    "bytes_available",
    "fragmentation",
    "peak_bytes_in_use",
    "requested_bytes",
    "allocation_bytes",
    "addr",
    "tf_op",
    "region_type",
    "data_type",
    "shape",
)
_ID: Final = {name: place + 1 for place, name in enumerate([*_STATS, *UTILISATION])}
_CAPACITY: Final = 33_554_432_000
_STACK: Final = 67_108_864
_BFLOAT16: Final = 14  # as the runtime numbers types


@dataclass(frozen=True, slots=True)
class HostEvent:
    """On a line of the host; ps since it began to record."""

    name: str
    begin: int
    duration: int
    stats: dict[str, Value] = field(default_factory=dict)

    @property
    def end(self) -> int:
        return self.begin + self.duration

    @property
    def feeds(self) -> bool:
        """True if it provides input to the devices."""
        return self.name.startswith("Iterator") or self.name == ENQUEUE


@dataclass(frozen=True, slots=True)
class Allocation:
    """Allocation of a device's memory, or its end; `used` and `peak` after it, bytes."""

    begin: int  # ps since the host began to record
    is_free: bool
    size: int
    used: int
    peak: int
    address: int
    framework: str


@dataclass(frozen=True, slots=True)
class Host:
    """`lines` by name, events by begin, those around others first."""

    lines: dict[str, list[HostEvent]]
    memory: dict[str, list[Allocation]]  # by device

    def message(self, shape: PodShape, host: int) -> bytes:
        """Its plane, as a field of an XSpace."""
        names = dict.fromkeys(event.name for line in self.lines.values() for event in line)
        ids = {name: place + 1 for place, name in enumerate(names)}
        parts = [number(1, _PLANE), text(2, "/host:CPU")]
        for place, (name, events) in enumerate(self.lines.items()):
            encoded = [_event(event, ids) for event in events]
            parts.append(message(3, number(1, 1001 + place), text(2, name), text(11, name), *encoded))
        parts += [message(4, number(1, key), message(2, number(1, key), text(2, name))) for name, key in ids.items()]
        parts += [message(5, number(1, key), message(2, number(1, key), text(2, name))) for name, key in _ID.items()]
        parts += [stat(6, _ID[name], value + host) for name, value in UTILISATION.items()]
        return message(1, *parts)

    def input_ops(self) -> dict[str, list[int]]:
        """Sums of operations that feed the devices, by name: their number, their time, and that without other ones in
        them.
        """
        sums: dict[str, list[int]] = {}
        for events in self.lines.values():
            feeding = [event for event in events if event.feeds]
            for place, event in enumerate(feeding):
                inner = sum(nested.duration for nested in _directly_in(feeding, place))
                row = sums.setdefault(event.name, [0, 0, 0])
                row[:] = [row[0] + 1, row[1] + event.duration, row[2] + event.duration - inner]
        return sums

    @property
    def enqueues(self) -> list[list[int]]:
        """Beginning and duration of each enqueue of input."""
        return [
            [event.begin, event.duration] for line in self.lines.values() for event in line if event.name == ENQUEUE
        ]

    @property
    def threads(self) -> dict[str, list[int]]:
        """From when to when each line has operations: those that feed the devices, and those that allocate memory."""
        spans = {}
        for name, events in self.lines.items():
            operations = [event for event in events if event.feeds or "tf_op" in event.stats]
            spans[name] = [min(event.begin for event in operations), max(event.end for event in operations)]
        return spans


def make_host(shape: PodShape, schedule: Schedule, host: int) -> Host:
    """Work of a host in the steps that it has captured."""
    rng = random.Random(shape.seed * 1009 + host)
    began, first = schedule.began[host], host * shape.chips
    lines: dict[str, list[HostEvent]] = {"python": [], "tf_data_prefetch/1002": [], "infeed-thread/1003": []}
    lines["tf_data_reader/1004"] = []
    memory = _Memory(shape)
    slowly = 6 if host == shape.fed_slowly else 1
    for step in shape.steps_of(host):
        core_step = schedule.steps[step][first]
        begin = core_step.begin + shape.clock_ps - began
        lines["python"] += _calls(shape, host, step, begin - 2000 * _US, core_step.length * 999 // 1000)
        lines["python"] += memory.step(begin + 100 * _US, core_step.length)
        lines["tf_data_prefetch/1002"] += _pipeline(rng, begin - 1000 * _US, slowly)
        lines["infeed-thread/1003"] += _enqueue(rng, begin + 700 * _US, slowly)
        lines["tf_data_reader/1004"] += _reader(rng, begin + 20_000 * _US)
    lines["python"].sort(key=lambda event: (event.begin, -event.duration))
    return Host(lines, memory.rows)


def _event(event: HostEvent, ids: dict[str, int]) -> bytes:
    encoded = [stat(4, _ID[name], value) for name, value in event.stats.items()]
    return message(4, number(1, ids[event.name]), number(2, event.begin), number(3, event.duration), *encoded)


def _directly_in(events: list[HostEvent], place: int) -> list[HostEvent]:
    """Events that lie in one of a line, and in no other that does."""
    nested: list[HostEvent] = []
    for other in events[place + 1 :]:
        if other.begin >= events[place].end:
            break
        if not nested or other.begin >= nested[-1].end:
            nested.append(other)
    return nested


def _calls(shape: PodShape, host: int, step: int, begin: int, length: int) -> Iterator[HostEvent]:
    stats_of_step: dict[str, Value] = {"step_num": shape.first_step + step, "_r": 1, "batch_size": shape.batch}
    yield HostEvent("train", begin, length, stats_of_step)
    yield HostEvent("PjitFunction(train_step)", begin + 100 * _US, 600 * _US)
    for chip in range(shape.chips):
        producer = flow_id(shape, host * shape.chips + chip, step)
        stats: dict[str, Value] = {"device_ordinal": chip, "_pt": 12, "_p": producer, "run_id": step + 2}
        started = begin + 150 * _US + chip * 400 * _US // shape.chips
        yield HostEvent("tpu::System::Execute", started, 300 * _US // shape.chips, stats)


def _pipeline(rng: random.Random, begin: int, slowly: int) -> Iterator[HostEvent]:
    reads = [rng.randrange(180, 320) * _US * slowly for _ in range(4)]
    now, records = begin + 60 * _US, []
    for read in reads:
        records.append(HostEvent(f"{SHUFFLE}::TFRecord", now, read, {"id": 14, "parent_id": 13}))
        now += read + 40 * _US
    after = rng.randrange(60, 120) * _US
    for place, name in enumerate((BATCH, MAP, SHUFFLE)):
        own = begin + 20 * _US * place
        length = now - own + (3 - place) * after - place * 7
        yield HostEvent(name, own, length, {"id": 11 + place, "parent_id": 10 + place})
    yield from records


def _enqueue(rng: random.Random, begin: int, slowly: int) -> Iterator[HostEvent]:
    waited = rng.randrange(50, 90) * _US * slowly * slowly
    yield HostEvent("Iterator::Prefetch", begin, waited, {"id": 10})
    length = rng.randrange(800, 1200) * _US
    yield HostEvent(ENQUEUE, begin + waited, length)
    yield HostEvent("LinearizeX32", begin + waited + 100 * _US, length // 2)


def _reader(rng: random.Random, begin: int) -> Iterator[HostEvent]:
    now, records = begin + 50 * _US, []
    for _ in range(3):
        length = rng.randrange(100, 300) * _US
        records.append(HostEvent(f"{READER}[0]::TFRecord", now, length, {"id": 22, "parent_id": 21}))
        now += length + 30 * _US
    yield HostEvent(READER, begin, now - begin + 50 * _US, {"id": 21})
    yield from records


class _Memory:
    """Contents of the devices' memories and of the pinned memory of the host."""

    def __init__(self, shape: PodShape) -> None:
        self.rows: dict[str, list[Allocation]] = {}
        self._shape = shape
        self._used: dict[str, int] = {}
        self._peak: dict[str, int] = {}
        self._address = 4096

    def step(self, begin: int, length: int) -> Iterator[HostEvent]:
        """Three allocations of each device and their ends, and one of pinned memory, in order of time."""
        batch = self._shape.batch
        wanted = (
            ("jit(train_step)/infeed:", batch * 96 * 96 * 128 * 2, 0, 94, f"bf16[{batch},96,96,3]"),
            (
                "jit(train_step)/jvp(main)/block0/conv_general_dilated:",
                batch * 24 * 24 * 512 * 2,
                3,
                90,
                f"bf16[{batch},24,24,500]",
            ),
            ("", 48 << 20, 4, 70, ""),
        )
        devices = [*map(str, range(self._shape.chips)), "host_pinned"]
        events = []
        for place, (framework, size, first, last, shape) in enumerate(wanted):
            for number_of, device in enumerate(devices):
                if device == "host_pinned" and place:
                    continue
                grown = size + 4096 * number_of * place
                self._address += 256
                for percent, is_free in ((first, False), (last, True)):
                    time = begin + length * percent // 100 // _US * _US + number_of * 50 * _US
                    events.append((time, is_free, device, grown, self._address, framework, shape))
        for event in sorted(events):
            yield self._event(*event)

    def _event(
        self, begin: int, is_free: bool, device: str, size: int, address: int, framework: str, shape: str
    ) -> HostEvent:
        used = self._used.get(device, 512 << 20) + (-size if is_free else size)
        stack = 0 if device == "host_pinned" else _STACK
        self._used[device] = used
        peak = self._peak[device] = max(self._peak.get(device, 0), used + stack)
        self.rows.setdefault(device, []).append(Allocation(begin, is_free, size, used, peak, address, framework))
        where: dict[str, Value] = {"allocator_name": device} if not stack else {"index_on_host": int(device)}
        stats: dict[str, Value] = {
            **where,
            "bytes_reserved": stack,
            "bytes_allocated": used,
            "bytes_available": (_CAPACITY if stack else 4 << 30) - used - stack,
            "fragmentation": 0.02,
            "peak_bytes_in_use": peak,
            "requested_bytes": size - 100,
            "allocation_bytes": size,
            "addr": address,
        }
        if not is_free and framework:
            stats |= {"tf_op": framework, "region_type": "output", "data_type": _BFLOAT16, "shape": shape}
        return HostEvent("MemoryDeallocation" if is_free else "MemoryAllocation", begin, 0, stats)
