"""Stats of an XSpace with their types and exact values: for whoever computes with them.

`xstat.py` has them for people.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from enum import StrEnum

from msgspec import Struct

from tilescope.tiler.details.wire import WireDamage, double, fields, signed

_METADATA_ID = 1
_HEAD_TAG = bytes([_METADATA_ID << 3])


class StatType(StrEnum):
    """Type of a value in the file."""

    DOUBLE = "double"
    UINT64 = "uint64"
    INT64 = "int64"
    STRING = "string"
    BYTES = "bytes"
    REF = "ref"  # the name of a stat metadata: texts that occur often
    NONE = "none"


_TYPES = {
    2: StatType.DOUBLE,
    3: StatType.UINT64,
    4: StatType.INT64,
    5: StatType.STRING,
    6: StatType.BYTES,
    7: StatType.REF,
}


class Stat(Struct, frozen=True):
    """One stat. `value`: float, int, str, or bytes; of a string that is no UTF-8 its bytes; None where it has none."""

    name: str
    type: StatType
    value: float | int | str | bytes | None


def typed_stats(raw: bytes, names: Mapping[int, str]) -> Iterator[Stat]:
    """The stats in the length-delimited fields of `raw`, whatever their field number. Raises WireDamage."""
    for field in fields(raw):
        if isinstance(field.value, bytes):
            yield typed_stat(field.value, names)


def stat_head(metadata_id: int) -> bytes:
    """Bytes that an XStat message of a stat metadata begins with, as files are written."""
    head = bytearray(_HEAD_TAG)
    left = metadata_id & (1 << 64) - 1
    while left >= 0x80:
        head.append(left & 0x7F | 0x80)
        left >>= 7
    return bytes([*head, left])


def stats_with(raw: bytes, names: Mapping[int, str], heads: tuple[bytes, ...]) -> Iterator[Stat]:
    """As `typed_stats`, without those that begin with the number of another stat metadata."""
    for field in fields(raw):
        if isinstance(field.value, bytes) and (field.value.startswith(heads) or field.value[:1] != _HEAD_TAG):
            yield typed_stat(field.value, names)


def typed_stat(raw: bytes, names: Mapping[int, str]) -> Stat:
    """One XStat message. `names`: of stat metadata, by id. Raises WireDamage."""
    metadata_id = 0
    kind = StatType.NONE
    value: float | int | str | bytes | None = None
    for field in fields(raw):
        if field.number == _METADATA_ID and isinstance(field.value, int):
            metadata_id = signed(field.value)
        elif field.number in _TYPES:
            kind = _TYPES[field.number]
            value = _value(kind, field.value, names)
    return Stat(_name(metadata_id, names), kind, value)


def plane_stats(message: bytes) -> list[Stat]:
    """The stats of an attachment `plane/…/stats`, which is an XPlane message. Raises WireDamage."""
    names: dict[int, str] = {}
    messages: list[bytes] = []
    for field in fields(message):
        if not isinstance(field.value, bytes):
            continue
        if field.number == 6:
            messages.append(field.value)
        elif field.number == 5:
            key, metadata = 0, b""
            for part in fields(field.value):
                if part.number == 1 and isinstance(part.value, int):
                    key = signed(part.value)
                elif part.number == 2 and isinstance(part.value, bytes):
                    metadata = part.value
            text = [part.value for part in fields(metadata) if part.number == 2 and isinstance(part.value, bytes)]
            names[key] = text[-1].decode("utf-8", "replace") if text else ""
    return [typed_stat(raw, names) for raw in messages]


def _value(kind: StatType, value: int | bytes, names: Mapping[int, str]) -> float | int | str | bytes:
    if isinstance(value, int):
        if kind is StatType.INT64:
            return signed(value)
        if kind is StatType.REF:
            return _name(signed(value), names)
        if kind is StatType.UINT64:
            return value
    elif kind is StatType.DOUBLE and len(value) == struct.calcsize("<d"):
        return double(value)
    elif kind is StatType.STRING:
        try:
            return value.decode()
        except UnicodeDecodeError:
            return value
    elif kind is StatType.BYTES:
        return value
    raise WireDamage(f"a {kind} of the wrong wire type")


def _name(metadata_id: int, names: Mapping[int, str]) -> str:
    return names.get(metadata_id) or f"[stat {metadata_id}]"
