"""A small protobuf wire reader for the few bytes of one event's arguments."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from msgspec import Struct

_VARINT, _FIXED64, _BYTES, _GROUP, _END_GROUP, _FIXED32 = range(6)


class WireDamage(ValueError):
    """The bytes are no protobuf message."""


class Field(Struct, frozen=True):
    """One field: `value` is the unsigned varint, the payload, or the 4 or 8 raw bytes."""

    number: int
    value: int | bytes


def varint(raw: bytes, position: int) -> tuple[int, int]:
    """The unsigned 64-bit varint at `position`, and where it ends."""
    value = 0
    for shift in range(0, 70, 7):
        if position >= len(raw):
            raise WireDamage("cut short")
        byte = raw[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFF_FFFF_FFFF_FFFF, position
    raise WireDamage("varint of more than 10 bytes")


def write_varint(value: int) -> bytes:
    """An unsigned number as a varint."""
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def fields(raw: bytes, position: int = 0) -> Iterator[Field]:
    """The fields of a message from `position` on, without groups. Raises `WireDamage`."""
    depth = 0  # in groups, which no schema of ours has
    while position < len(raw):
        tag, position = varint(raw, position)
        wire_type = tag & 7
        if wire_type == _VARINT:
            number, position = varint(raw, position)
            if depth == 0:
                yield Field(tag >> 3, number)
            continue
        if wire_type in (_GROUP, _END_GROUP):
            depth += 1 if wire_type == _GROUP else -1
            if depth < 0:
                raise WireDamage("a group ends that has not begun")
            continue
        if wire_type == _BYTES:
            size, position = varint(raw, position)
        elif wire_type == _FIXED64:
            size = 8
        elif wire_type == _FIXED32:
            size = 4
        else:
            raise WireDamage(f"wire type {wire_type}")
        if size > len(raw) - position:
            raise WireDamage("cut short")
        if depth == 0:
            yield Field(tag >> 3, raw[position : position + size])
        position += size


def signed(value: int) -> int:
    """An unsigned 64-bit number read as two's complement."""
    return value - (1 << 64) if value >= 1 << 63 else value


def double(raw: bytes) -> float:
    """Eight bytes read as an IEEE double."""
    value: float = struct.unpack("<d", raw)[0]
    return value
