"""What an XSpace says of allocations, as plain Python: read from the file itself, and summed up by xprof's rules."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.tiler.readers.wire_writer import data, double, event_metadata, message, number, stat_metadata
from tests.tiler.readers.xspace.xspace_reference import last_int, last_text, metadata_map, parse, read_stat

ALLOCATION, DEALLOCATION = "MemoryAllocation", "MemoryDeallocation"


@dataclass(frozen=True)
class Event:
    """In the order of lines and events of the file."""

    memory: str
    is_free: bool
    offset_ps: int  # in its line: what xprof takes for its time
    time_ps: int
    stats: dict[str, Any]

    @property
    def used(self) -> int:
        """Stack and heap."""
        return int(self.stats["bytes_reserved"]) + int(self.stats["bytes_allocated"])

    @property
    def what(self) -> tuple[Any, ...]:
        """What alike allocations have in common."""
        known = (
            self.stats.get(key) for key in ("allocation_bytes", "requested_bytes", "tf_op", "region_type", "shape")
        )
        return tuple(value or None for value in known)


def read(path: Path) -> list[Event]:
    """All of a file."""
    found = []
    for field, raw in parse(path.read_bytes()):
        plane = parse(raw) if field == 1 and isinstance(raw, bytes) else []
        if last_text(plane, 2) != "/host:CPU":
            continue
        names = {key: last_text(of, 2) for key, of in metadata_map(plane, 5).items()}
        kinds = {key: last_text(of, 2) for key, of in metadata_map(plane, 4).items()}
        for line in (parse(raw) for field, raw in plane if field == 3 and isinstance(raw, bytes)):
            for event in (parse(raw) for field, raw in line if field == 4 and isinstance(raw, bytes)):
                name = kinds.get(last_int(event, 1))
                if name not in (ALLOCATION, DEALLOCATION):
                    continue
                stats = dict(read_stat(raw, names) for field, raw in event if field == 4 and isinstance(raw, bytes))
                ids = [stats[key] for key in ("index_on_host", "device_ordinal", "allocator_name") if key in stats]
                offset = last_int(event, 2)
                at = last_int(line, 3) * 1000 + offset
                found.append(Event(str(ids[0]), name == DEALLOCATION, offset, at, stats))
    return found


def peak(events: Sequence[Event]) -> int:
    """Which event of a memory is its peak: the last with the most, in the order given."""
    best = 0
    for place, event in enumerate(events):
        if event.used >= events[best].used:
            best = place
    return best


def live(events: Sequence[Event]) -> list[Event]:
    """What lies in a memory after some of its events."""
    found: dict[int, Event] = {}
    for event in events:
        found.pop(event.stats["addr"], None)
        if not event.is_free:
            found[event.stats["addr"]] = event
    return list(found.values())


def random_trace(path: Path, rng: random.Random, events: int) -> Path:
    """Writes an XSpace with allocations of two devices and a host."""
    path.write_bytes(random_plane(rng, events))
    return path


def random_plane(rng: random.Random, events: int, hosts_lines: int = 3) -> bytes:
    """The plane of a host with allocations, on several lines that began at different times."""
    keys: tuple[str, ...] = (
        "index_on_host",
        "allocator_name",
        "bytes_reserved",
        "bytes_allocated",
        "bytes_available",
        "fragmentation",
    )
    keys += ("peak_bytes_in_use", "requested_bytes", "allocation_bytes", "addr", "tf_op", "region_type", "shape")
    ids = {key: place + 1 for place, key in enumerate(keys)}
    memories: list[dict[str, Any]] = [{"index_on_host": 0}, {"index_on_host": 1}, {"allocator_name": "gpu_host_bfc"}]
    heap, most, held = [0] * 3, [0] * 3, [[(7, 1 << 20)], [], []]
    heap[0] = most[0] = 1 << 20  # was there before
    lines: list[list[bytes]] = [[] for _ in range(hosts_lines)]
    time = 1_000_000
    for _ in range(events):
        time += rng.randrange(0, 5000)
        at = rng.randrange(3)
        is_free = bool(held[at]) and rng.random() < 0.45
        told: dict[str, Any] = dict(memories[at])
        if is_free:
            address, size = held[at].pop(rng.randrange(len(held[at])))
            heap[at] -= size
        else:
            address, size = (
                rng.choice([rng.randrange(1 << 40), (1 << 64) - rng.randrange(2, 1 << 20)]),
                rng.randrange(9) * 512,
            )
            held[at].append((address, size))
            heap[at] += size
            told |= {
                "requested_bytes": max(size - 3, 0),
                "tf_op": f"op{rng.randrange(3)}",
                "shape": rng.choice(["", "[2,3]"]),
            }
            told |= {"allocation_bytes": size, "region_type": "output"}
        most[at] = max(most[at], heap[at])
        told |= {"bytes_reserved": 4096 * rng.randrange(2), "bytes_allocated": heap[at], "addr": address}
        told |= {"bytes_available": (1 << 30) - heap[at], "fragmentation": rng.random(), "peak_bytes_in_use": most[at]}
        line = rng.randrange(hosts_lines)
        stats = [message(4, number(1, ids[key]), _value(value)) for key, value in told.items()]
        lines[line].append(message(4, number(1, 2 if is_free else 1), number(2, (time - 100 * line) * 1000), *stats))
    parts = [
        message(3, number(1, place + 1), data(2, f"thread {place}"), number(3, 100 * place), *of)
        for place, of in enumerate(lines)
    ]
    names = [stat_metadata(key, text) for text, key in ids.items()]
    kinds = [event_metadata(1, ALLOCATION), event_metadata(2, DEALLOCATION)]
    return message(1, data(2, "/host:CPU"), *parts, *kinds, *names)


def _value(value: object) -> bytes:
    if isinstance(value, float):
        return double(2, value)
    return data(5, value) if isinstance(value, str) else number(3, int(str(value)))
