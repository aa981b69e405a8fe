"""Writes protobuf wire format, field by field, in any order and as wrong as a test wants it."""

from __future__ import annotations

import struct


def varint(value: int) -> bytes:
    """Negative numbers as 64-bit two's complement."""
    value &= 0xFFFF_FFFF_FFFF_FFFF
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def double(field: int, value: float) -> bytes:
    return varint(field << 3 | 1) + struct.pack("<d", value)


def data(field: int, payload: bytes | str) -> bytes:
    if isinstance(payload, str):
        payload = payload.encode()
    return varint(field << 3 | 2) + varint(len(payload)) + payload


def message(field: int, *parts: bytes) -> bytes:
    return data(field, b"".join(parts))


def map_entry(field: int, key: int, *value_parts: bytes) -> bytes:
    return message(field, number(1, key), message(2, *value_parts))


def event_metadata(key: int, name: str | bytes = "", display_name: str = "", *more: bytes) -> bytes:
    return map_entry(4, key, number(1, key), data(2, name), data(4, display_name), *more)


def stat_metadata(key: int, name: str) -> bytes:
    return map_entry(5, key, number(1, key), data(2, name))
