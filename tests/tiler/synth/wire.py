"""The few lines of protobuf that the tests need: an independent reader of XSpace files."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any


def varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """Field numbers and values: int of a varint, float of 64 bits, bytes of anything with a length."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        match tag & 7:
            case 0:
                value, at = varint(data, at)
                yield tag >> 3, value
            case 1:
                yield tag >> 3, struct.unpack_from("<d", data, at)[0]
                at += 8
            case 2:
                size, at = varint(data, at)
                assert at + size <= len(data), f"field {tag >> 3} reaches beyond its message"
                yield tag >> 3, data[at : at + size]
                at += size
            case wire_type:
                raise AssertionError(f"wire type {wire_type}")


@dataclass
class Line:
    id: int = 0
    name: str = ""
    timestamp_ns: int = 0
    events: list[dict[str, Any]] = field(default_factory=list)  # metadata_id, offset_ps, duration_ps, stats


@dataclass
class Plane:
    name: str = ""
    lines: list[Line] = field(default_factory=list)
    event_names: dict[int, str] = field(default_factory=dict)
    display_names: dict[int, str] = field(default_factory=dict)
    event_stats: dict[int, dict[int, Any]] = field(default_factory=dict)  # by metadata id, then by that of the stat
    stat_names: dict[int, str] = field(default_factory=dict)
    stats: dict[int, Any] = field(default_factory=dict)


def stat(data: bytes) -> tuple[int, Any]:
    content = list(fields(data))
    assert content[0][0] == 1, "a stat begins with its metadata id"
    return content[0][1], content[1][1]


def event(data: bytes) -> dict[str, Any]:
    result: dict[str, Any] = {"duration_ps": 0, "stats": {}}
    for number, value in fields(data):
        if number == 4:
            key, content = stat(value)
            result["stats"][key] = content
        else:
            result[{1: "metadata_id", 2: "offset_ps", 3: "duration_ps"}[number]] = value
    return result


def line(data: bytes) -> Line:
    result = Line()
    for number, value in fields(data):
        if number == 1:
            result.id = value
        elif number == 2:
            result.name = value.decode()
        elif number == 3:
            result.timestamp_ns = value
        elif number == 4:
            result.events.append(event(value))
    return result


def plane(data: bytes) -> Plane:
    result = Plane()
    for number, value in fields(data):
        match number:
            case 2:
                result.name = value.decode()
            case 3:
                result.lines.append(line(value))
            case 4:
                entry = dict(fields(value))
                metadata = dict(fields(entry[2]))
                stats = [stat(content) for number, content in fields(entry[2]) if number == 5]
                result.event_stats[entry[1]] = dict(stats)
                result.event_names[entry[1]] = metadata[2].decode()
                if 4 in metadata:
                    result.display_names[entry[1]] = metadata[4].decode()
            case 5:
                entry = dict(fields(value))
                result.stat_names[entry[1]] = dict(fields(entry[2]))[2].decode()
            case 6:
                key, content = stat(value)
                result.stats[key] = content
    return result


def planes(data: bytes) -> list[Plane]:
    return [plane(value) for number, value in fields(data) if number == 1]
