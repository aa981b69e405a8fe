"""Reads trace files a second time, in the plainest way, to compare with what the viewer shows.

All times are integer picoseconds since the epoch (or since whatever the file counts from).
"""

from __future__ import annotations

import gzip
import json
import struct
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Slice:
    name: str
    category: str
    start_ps: int
    duration_ps: int
    args: tuple[tuple[str, Any], ...]


@dataclass
class Lane:
    """A thread or line: what the viewer shows as one track."""

    process: str
    name: str
    slices: list[Slice] = field(default_factory=list)
    id: int | str = ""


@dataclass(frozen=True)
class BinSums:
    """What the slices of a row have in a span of time."""

    count: int
    busy_ps: int
    longest_ps: int


def rows_of(lane: Lane) -> dict[int, list[Slice]]:
    """Slices by row: each is in the first row in which nothing runs any more when it starts."""
    ends: list[int] = []
    rows: dict[int, list[Slice]] = defaultdict(list)
    for entry in lane.slices:
        row = next((row for row, end_ps in enumerate(ends) if end_ps <= entry.start_ps), len(ends))
        ends[row:] = [entry.start_ps + entry.duration_ps, *ends[row + 1 :]]
        rows[row].append(entry)
    return rows


def bin_sums(slices: list[Slice], start_ps: int, width_ps: int) -> BinSums:
    """Sums over the slices that touch `[start_ps, start_ps + width_ps)`; those that start there are counted."""
    end_ps = start_ps + width_ps
    inside = [entry for entry in slices if start_ps <= entry.start_ps < end_ps]
    before = [entry for entry in slices if entry.start_ps < start_ps < entry.start_ps + entry.duration_ps]
    busy_ps = sum(
        min(entry.start_ps + entry.duration_ps, end_ps) - max(entry.start_ps, start_ps) for entry in inside + before
    )
    return BinSums(len(inside), busy_ps, max((entry.duration_ps for entry in inside + before), default=0))


def read_lanes(path: Path) -> list[Lane]:
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    return list(read_xspace(data)) if ".xplane.pb" in path.name else read_json(data)


# -- trace-event JSON --


def read_json(data: bytes) -> list[Lane]:
    document = json.loads(data, parse_float=Decimal)
    events = document["traceEvents"] if isinstance(document, dict) else document
    process_names: dict[Any, str] = {}
    thread_names: dict[tuple[Any, Any], str] = {}
    by_thread: dict[tuple[Any, Any], list[Slice]] = defaultdict(list)
    open_slices: dict[tuple[Any, Any], list[dict[str, Any]]] = defaultdict(list)
    for event in events:
        thread = (event.get("pid"), event.get("tid"))
        match event.get("ph"):
            case "M" if event["name"] == "process_name":
                process_names.setdefault(event["pid"], event["args"]["name"].strip())
            case "M" if event["name"] == "process_labels" and event["args"]["labels"].startswith("GPU "):
                process_names[event["pid"]] = event["args"]["labels"]
            case "M" if event["name"] == "thread_name":
                name = event["args"]["name"].strip()
                kineto = name.startswith(f"thread {event['tid']} (") and name.endswith(")")
                thread_names[thread] = name.split("(", 1)[1][:-1] if kineto else name
            case "X":
                by_thread[thread].append(json_slice(event, event["dur"], {}))
            case "B":
                open_slices[thread].append(event)
            case "E":
                begin = open_slices[thread].pop()
                duration = Decimal(event["ts"]) - Decimal(begin["ts"])
                by_thread[thread].append(json_slice(begin, duration, event.get("args", {})))
    assert not any(open_slices.values()), "the corpus files of these tests close what they open"
    lanes = [
        Lane(
            process_names.get(pid) or default_name("Process", pid),
            thread_names.get((pid, tid)) or ("Thread" if str(tid).startswith("-") else default_name("Thread", tid)),
            sorted(slices, key=lambda entry: (entry.start_ps, -entry.duration_ps)),
            tid,
        )
        for (pid, tid), slices in by_thread.items()
    ]
    for same in namesakes(lanes):
        for lane in same:
            lane.name = f"{lane.name} {lane.id}"
    return lanes


def namesakes(lanes: list[Lane]) -> list[list[Lane]]:
    """Lanes of a process that have one name."""
    found: dict[tuple[str, str], list[Lane]] = defaultdict(list)
    for lane in lanes:
        found[lane.process, lane.name].append(lane)
    return [same for same in found.values() if len(same) > 1]


def default_name(word: str, number: Any) -> str:
    """Ids that are text are names themselves."""
    return number if isinstance(number, str) else f"{word} {number}"


def json_slice(event: dict[str, Any], duration: Any, more_args: dict[str, Any]) -> Slice:
    args = (*event.get("args", {}).items(), *more_args.items())
    return Slice(event["name"], event.get("cat", ""), us_to_ps(event["ts"]), us_to_ps(duration), args)


def us_to_ps(value: Any) -> int:
    exact = Decimal(value) * 1_000_000
    assert exact == int(exact), f"{value} µs is not a whole number of picoseconds"
    return int(exact)


# -- XSpace --


def read_xspace(data: bytes) -> Iterator[Lane]:
    planes = [list(fields(value)) for number, value in fields(data) if number == 1]
    # Profilers subtract the start of the capture from all times, and keep it in a plane of its own.
    start_ns = sum(capture_start_ns(plane) for plane in planes)
    hosts = sum(plane_name(plane) == "/host:CPU" for plane in planes)
    for plane in planes:
        process = "Host threads" if plane_name(plane) == "/host:CPU" and hosts == 1 else core_name(plane)
        lanes = list(read_plane(plane, process, start_ns))
        for lane in lanes:  # the id of a thread, and whatever 32 bits leave of it, is no part of its name
            base, _, number = lane.name.rpartition("/")
            if base and number.lstrip("-").isdigit() and (int(number) - int(lane.id)) % (1 << 32) == 0:
                lane.name = base
        for same in namesakes(lanes):
            is_thread = all(0 <= int(lane.id) < 1 << 22 for lane in same)
            for place, lane in enumerate(sorted(same, key=lambda lane: int(lane.id)), 1):
                lane.name += f"/{lane.id}" if is_thread else f" #{place}"
        yield from lanes


def capture_start_ns(plane: list[tuple[int, Any]]) -> int:
    names = dict(stat_name(value) for number, value in plane if number == 5)
    stats = dict(read_stat(value, names) for number, value in plane if number == 6)
    return int(stats.get("profile_start_time", 0))


def stat_name(entry: bytes) -> tuple[int, str]:
    content = dict(fields(entry))
    return content.get(1, 0), text(dict(fields(content.get(2, b""))).get(2, b""))


def plane_name(content: list[tuple[int, Any]]) -> str:
    return text(next((value for number, value in content if number == 2), b""))


def core_name(content: list[tuple[int, Any]]) -> str:
    """The name of a plane; the core that it is, where it says that."""
    name = plane_name(content)
    stat_names = dict(stat_name(value) for number, value in content if number == 5)
    for number, value in content:
        stat = dict(fields(value)) if number == 6 else {}
        if stat_names.get(stat.get(1, 0)) == "core_details":
            core = dict(fields(stat[6]))
            name = f"Chip {core.get(4, 0)}: TPU Core {core.get(3, 0)}"
    return name


def read_plane(content: list[tuple[int, Any]], process: str, start_ns: int) -> Iterator[Lane]:
    stat_names = dict(stat_name(value) for number, value in content if number == 5)
    event_metadata: dict[int, bytes] = {}
    for number, value in content:
        if number == 4:
            entry = dict(fields(value))
            event_metadata[entry.get(1, 0)] = entry.get(2, b"")
    for number, value in content:
        if number == 3:
            lane = read_line(value, Lane(process, ""), start_ns, stat_names, event_metadata)
            if lane.name != "_counters_":  # of the traces here all of its events are samples
                yield lane


def read_line(line: bytes, lane: Lane, start_ns: int, stat_names: dict[int, str], metadata: dict[int, bytes]) -> Lane:
    facts = {number: value for number, value in fields(line) if number != 4}
    lane.name = text(facts.get(11, b"")) or text(facts.get(2, b""))
    lane.id = signed(facts.get(1, 0))
    base_ps = (start_ns + signed(facts.get(3, 0))) * 1000
    for number, value in fields(line):
        if number != 4:
            continue
        event = [entry for entry in fields(value) if entry[0] != 4]
        values = dict(event)
        described = list(fields(metadata.get(values.get(1, 0), b"")))
        known = {key: content for key, content in described if key in (2, 4)}
        name, display_name = text(known.get(2, b"")), text(known.get(4, b""))
        stats = [read_stat(stat, stat_names) for key, stat in fields(value) if key == 4]
        shared = [read_stat(stat, stat_names) for key, stat in described if key == 5]
        stats += shared
        category = str(dict(shared).get("hlo_category", ""))
        if display_name and display_name != name:
            stats.insert(0, ("long_name", name))
        start_ps = base_ps + signed(values.get(2, 0))
        lane.slices.append(Slice(display_name or name, category, start_ps, signed(values.get(3, 0)), tuple(stats)))
    lane.slices.sort(key=lambda entry: (entry.start_ps, -entry.duration_ps))
    return lane


def read_stat(stat: bytes, stat_names: dict[int, str]) -> tuple[str, Any]:
    content = dict(fields(stat))
    name = stat_names.get(content.pop(1, 0), "")
    if not content:
        return name, None
    ((number, value),) = content.items()
    match number:
        case 4:
            return name, signed(value)
        case 5:
            return name, text(value)
        case 6:
            return name, {"bytes": str(len(value))}
        case 7:
            return name, stat_names.get(value, "")
        case _:
            return name, value


def fields(data: bytes) -> Iterator[tuple[int, Any]]:
    at = 0
    value: Any
    while at < len(data):
        tag, at = varint(data, at)
        match tag & 7:
            case 0:
                value, at = varint(data, at)
            case 1:
                (value,) = struct.unpack_from("<d", data, at)
                at += 8
            case 2:
                size, at = varint(data, at)
                value = data[at : at + size]
                at += size
            case wire_type:
                raise AssertionError(f"wire type {wire_type}")
        yield tag >> 3, value


def varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if byte < 0x80:
            return value, at


def signed(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value


def text(value: bytes) -> str:
    return value.decode("utf-8", "replace")
