"""A plain-Python XSpace reader, written for clarity: the oracle of the native one."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, field

Fields = list[tuple[int, int | bytes]]
MASK = 0xFFFF_FFFF_FFFF_FFFF


@dataclass
class RefEvent:
    track: int
    start_ps: int  # as in the file: not moved by the capture's start
    duration_ps: int
    name: str
    category: str
    clamped: bool
    aggregated: bool
    args: list[tuple[str, object]]
    flow_in: tuple[int, int] | None
    flow_out: tuple[int, int] | None


@dataclass
class RefSample:
    track: int
    start_ps: int
    name: str
    value: float
    args: list[tuple[str, object]]


@dataclass
class RefTrack:
    plane: int
    line: int  # its id
    name: str  # of the line
    is_counter: bool


@dataclass
class RefSpace:
    planes: list[str] = field(default_factory=list)
    tracks: list[RefTrack] = field(default_factory=list)
    events: list[RefEvent] = field(default_factory=list)
    samples: list[RefSample] = field(default_factory=list)  # track by track
    sampled: int = 0  # events that are samples
    hostnames: list[str] = field(default_factory=list)


def read_varint(raw: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (raw[at] & 0x7F) << shift
        shift += 7
        at += 1
        if raw[at - 1] < 0x80:
            return value & MASK, at


def parse(raw: bytes) -> Fields:
    """(field number, value) in file order; groups are dropped."""
    found: Fields = []
    at, depth = 0, 0
    while at < len(raw):
        tag, at = read_varint(raw, at)
        value: int | bytes = b""
        match tag & 7:
            case 0:
                value, at = read_varint(raw, at)
            case 1:
                value, at = raw[at : at + 8], at + 8
            case 2:
                size, at = read_varint(raw, at)
                value, at = raw[at : at + size], at + size
            case 3:
                depth += 1
                continue
            case 4:
                depth -= 1
                continue
            case 5:
                value, at = raw[at : at + 4], at + 4
        if depth == 0:
            found.append((tag >> 3, value))
    return found


def signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


def last_int(fields: Fields, wanted: int) -> int:
    numbers = [value for number, value in fields if number == wanted and isinstance(value, int)]
    return signed(numbers[-1]) if numbers else 0


def last_text(fields: Fields, wanted: int) -> str:
    texts = [value for number, value in fields if number == wanted and isinstance(value, bytes)]
    return texts[-1].decode() if texts else ""


def metadata_map(fields: Fields, wanted: int) -> dict[int, Fields]:
    result = {}
    for number, value in fields:
        if number == wanted and isinstance(value, bytes):
            entry = parse(value)
            values = [inner for inner_number, inner in entry if inner_number == 2 and isinstance(inner, bytes)]
            result[last_int(entry, 1)] = parse(values[-1]) if values else []
    return result


def read_stat(raw: bytes, names: dict[int, str]) -> tuple[str, object]:
    metadata_id, value = 0, None
    for number, content in parse(raw):
        if number == 1 and isinstance(content, int):
            metadata_id = signed(content)
        elif number == 2 and isinstance(content, bytes):
            value = struct.unpack("<d", content)[0]
            value = value if abs(value) < float("inf") else str(value)
        elif number == 3:
            value = content
        elif number == 4 and isinstance(content, int):
            value = signed(content)
        elif number == 5 and isinstance(content, bytes):
            value = content.decode()
        elif number == 6 and isinstance(content, bytes):
            value = {"bytes": len(content)}
        elif number == 7 and isinstance(content, int):
            value = names.get(signed(content), f"[stat {signed(content)}]")
    return names.get(metadata_id) or f"[stat {metadata_id}]", value


def flow(args: list[tuple[str, object]], type_name: str, id_name: str) -> tuple[int, int] | None:
    found = {name: value & MASK for name, value in args if isinstance(value, int)}
    return (found[type_name], found[id_name]) if type_name in found and id_name in found else None


def numbers(raw: bytes) -> list[tuple[int, float]]:
    """Stat id and value of each finite number among the stats of an event; of one id the last value counts."""
    found: dict[int, float] = {}
    for field_number, stat in parse(raw):
        if field_number != 4 or not isinstance(stat, bytes):
            continue
        value: object = None
        for kind, content in parse(stat):
            if kind == 2 and isinstance(content, bytes):
                value = struct.unpack("<d", content)[0]
            elif kind in (3, 4) and isinstance(content, int):
                value = float(signed(content) if kind == 4 else content)
            elif kind in (5, 6, 7):
                value = None
        if isinstance(value, float) and math.isfinite(value):
            found[last_int(parse(stat), 1)] = value
    return list(found.items())


def category_of(metadata: Fields, names: dict[int, str]) -> str:
    """The text that the last stat `hlo_category` of event metadata has; of one stat the last value counts."""
    category = ""
    for number, stat in metadata:
        if number != 5 or not isinstance(stat, bytes):
            continue
        fields = parse(stat)
        if names.get(last_int(fields, 1)) != "hlo_category":
            continue
        kind, value = next((field for field in reversed(fields) if 2 <= field[0] <= 7), (0, b""))
        if kind == 5 and isinstance(value, bytes):
            category = value.decode()
        else:
            category = names.get(signed(value), "") if kind == 7 and isinstance(value, int) else ""
    return category


def read_event(
    raw: bytes, track: int, timestamp_ns: int, metadata: dict[int, Fields], names: dict[int, str]
) -> RefEvent:
    fields = parse(raw)
    places = [(number, value) for number, value in fields if number in (2, 5) and isinstance(value, int)]
    aggregated = bool(places) and places[-1][0] == 5
    offset = signed(places[-1][1]) if places and not aggregated else 0
    duration = last_int(fields, 3)
    described = metadata.get(last_int(fields, 1), [])
    full_name, display_name = last_text(described, 2), last_text(described, 4)
    own = [read_stat(value, names) for number, value in fields if number == 4 and isinstance(value, bytes)]
    shared = [read_stat(value, names) for number, value in described if number == 5 and isinstance(value, bytes)]
    present = {name for name, _ in own}
    args = [("long_name", full_name)] if display_name and full_name and display_name != full_name else []
    return RefEvent(
        track=track,
        start_ps=timestamp_ns * 1000 + offset,
        duration_ps=max(0, duration),
        name=display_name or full_name or "[no name]",
        category=category_of(described, names),
        clamped=duration < 0,
        aggregated=aggregated,
        args=[*args, *own, *(stat for stat in shared if stat[0] not in present)],
        flow_in=flow(own, "_ct", "_c"),
        flow_out=flow(own, "_pt", "_p"),
    )


def read_space(raw: bytes) -> RefSpace:
    space = RefSpace()
    for number, value in parse(raw):
        if number == 4 and isinstance(value, bytes):
            space.hostnames.append(value.decode())
        if number != 1 or not isinstance(value, bytes):
            continue
        plane = parse(value)
        metadata = metadata_map(plane, 4)
        names = {key: last_text(entry, 2) for key, entry in metadata_map(plane, 5).items()}
        for plane_number, plane_value in plane:
            if plane_number != 3 or not isinstance(plane_value, bytes):
                continue
            read_line(space, parse(plane_value), metadata, names)
        space.planes.append(last_text(plane, 2))
    return space


def read_line(space: RefSpace, line: Fields, metadata: dict[int, Fields], names: dict[int, str]) -> None:
    name = last_text(line, 11) or last_text(line, 2)
    is_counters = "_counters_" in (last_text(line, 2), last_text(line, 11))
    slices: list[RefEvent] = []
    series: dict[tuple[str, str, int], list[RefSample]] = {}  # operations of two categories have two names
    for number, raw in line:
        if number != 4 or not isinstance(raw, bytes):
            continue
        event = read_event(raw, len(space.tracks), last_int(line, 3), metadata, names)
        own = [read_stat(stat, names) for field, stat in parse(raw) if field == 4 and isinstance(stat, bytes)]
        is_step = any(name == "step_num" and isinstance(value, int) for name, value in own)
        stays = event.aggregated or event.flow_in or event.flow_out or is_step
        samples = [] if stays or not is_counters else numbers(raw)
        for place, (stat, value) in enumerate(samples):
            sample = RefSample(0, event.start_ps, event.name, value, event.args if place == 0 else [])
            series.setdefault((event.name, event.category, stat), []).append(sample)
        if samples:
            space.sampled += 1
        else:
            slices.append(event)
    if slices or not series:
        space.tracks.append(RefTrack(len(space.planes), last_int(line, 1), name, is_counter=False))
        space.events += slices
    for one in series.values():
        for sample in one:
            sample.track = len(space.tracks)
        space.tracks.append(RefTrack(len(space.planes), last_int(line, 1), name, is_counter=True))
        space.samples += one
