"""XSpaces that are valid wire format, with a few values, fields or messages changed."""

from __future__ import annotations

import random
from typing import Literal

from tests.fuzz import values
from tests.tiler.readers import wire_writer as wire

# A field is its number, what is written, and the value: a list of fields for a message.
Kind = Literal["varint", "long", "double", "bytes", "message", "group", "fixed32"]
Field = tuple[int, Kind, "int | float | bytes | Message"]
Message = list[Field]

_PLANES = (
    b"/device:TPU:0",
    b"/device:GPU:1",
    b"/host:CPU",
    b"/host:metadata",
    b"Task Environment",
    b"/device:CUSTOM:x",
)
_LINES = (b"XLA Ops", b"XLA Modules", b"Steps", b"_counters_", b"Stream #7(compute)", b"python", b"")
_STATS = (
    b"_pt",
    b"_p",
    b"_ct",
    b"_c",
    b"group_id",
    b"hlo_op",
    b"profile_start_time",
    b"profile_stop_time",
    b"source",
    b"flops",
)


def mutant(rng: random.Random) -> bytes:
    """One XSpace."""
    space = _space(rng)
    for _ in range(rng.choice((0, 1, 1, 2, 3, 5, 8, 20))):
        _change(rng, space)
    return _encode(space)


def _space(rng: random.Random) -> Message:
    space: Message = [(1, "message", _plane(rng)) for _ in range(rng.choice((1, 1, 2, 3)))]
    space += [(4, "bytes", rng.choice((b"host0", b"host1", values.raw_text(rng))))] if rng.random() < 0.7 else []
    space += [(rng.choice((2, 3)), "bytes", values.raw_text(rng))] if rng.random() < 0.2 else []
    return space


def _plane(rng: random.Random) -> Message:
    n_names, n_stats = rng.randrange(1, 12), len(_STATS)
    plane: Message = [(1, "varint", rng.randrange(5)), (2, "bytes", rng.choice(_PLANES))]
    for key in range(1, n_names + 1):
        described: Message = [(1, "varint", key), (2, "bytes", b"%%op.%d = f32[8]" % key)]
        described += [(4, "bytes", b"op.%d" % key)] if rng.random() < 0.5 else []
        described += [(5, "message", _stat(rng, n_stats))] if rng.random() < 0.3 else []
        plane.append((4, "message", [(1, "varint", key), (2, "message", described)]))
    for key, name in enumerate(_STATS, 1):
        plane.append((5, "message", [(1, "varint", key), (2, "message", [(1, "varint", key), (2, "bytes", name)])]))
    for _ in range(rng.choice((0, 0, 1, 3))):
        plane.append((6, "message", _stat(rng, n_stats)))
    lines: Message = [(3, "message", _line(rng, n_names, n_stats)) for _ in range(rng.choice((1, 1, 2, 4)))]
    return [*lines, *plane] if rng.random() < 0.3 else [*plane, *lines]


def _line(rng: random.Random, n_names: int, n_stats: int) -> Message:
    start_ns = rng.choice((0, 5, 10**6, 1_700_000_000 * 10**9))
    line: Message = [(1, "varint", rng.randrange(-3, 1000)), (2, "bytes", rng.choice(_LINES)), (3, "varint", start_ns)]
    line += [(11, "bytes", values.raw_text(rng))] if rng.random() < 0.2 else []
    with_stats = rng.random() < 0.5
    for start, duration in values.spans(rng, values.event_count(rng)):
        event: Message = [(1, "varint", rng.randrange(1, n_names + 1)), (2, "varint", start), (3, "varint", duration)]
        if with_stats:
            event += [(4, "message", _stat(rng, n_stats)) for _ in range(rng.randrange(4))]
        line.append((4, "message", event))
    return line


def _stat(rng: random.Random, n_stats: int) -> Message:
    key: Field = (1, "varint", rng.randrange(1, n_stats + 1))
    match rng.randrange(8):
        case 0:
            return [key, (2, "double", values.number(rng))]
        case 1:
            return [key, (5, "bytes", values.raw_text(rng))]
        case 2:
            return [key, (6, "bytes", bytes(rng.randrange(20)))]
        case 3:
            return [key, (7, "varint", rng.randrange(0, n_stats + 2))]
        case _:
            return [key, (rng.choice((3, 4)), "varint", rng.randrange(5))]


def _change(rng: random.Random, message: Message) -> None:
    """Changes one field somewhere below: every level of nesting has its turn, however many events there are."""
    while message:
        at = rng.randrange(len(message))
        number, kind, value = message[at]
        if isinstance(value, list) and value and rng.random() < 0.85:
            message = value
            continue
        match rng.randrange(10):
            case 0:
                del message[at]
            case 1:
                message.insert(rng.randrange(len(message) + 1), message[at])
            case 2:
                rng.shuffle(message)
            case 3:
                message[at] = (rng.choice((1, 2, 3, 4, 5, 6, 7, 9, 10, 11)), kind, value)
            case 4:
                message.insert(at, _unknown(rng))
            case 5 if kind == "varint":
                message[at] = (number, "long", value)
            case _:
                message[at] = _other_value(rng, number, kind, value)
        return


def _other_value(rng: random.Random, number: int, kind: Kind, value: int | float | bytes | Message) -> Field:
    if kind in ("varint", "long"):
        assert isinstance(value, int)
        return number, kind, values.integer(rng, value)
    if kind == "double":
        return number, kind, values.number(rng)
    if kind == "bytes":
        return number, kind, values.raw_text(rng)
    return number, kind, []


def _unknown(rng: random.Random) -> Field:
    """A field that the schema does not have, of any wire type."""
    number = rng.choice((8, 12, 15, 16, 900, (1 << 29) - 1))
    fields: tuple[Field, ...] = (
        (number, "varint", values.integer(rng)),
        (number, "double", 1.5),
        (number, "bytes", b"\xff\xfe"),
        (number, "fixed32", b"abcd"),
        (number, "group", [(1, "varint", 5), (2, "group", [])]),
    )
    return rng.choice(fields)


def _encode(message: Message) -> bytes:
    out = bytearray()
    for number, kind, value in message:
        if kind == "varint" and isinstance(value, int):
            out += wire.number(number, value)
        elif kind == "long" and isinstance(value, int):  # ten bytes, whatever the value
            raw = wire.varint(value & (1 << 62) - 1)
            out += wire.varint(number << 3) + raw[:-1] + bytes([raw[-1] | 0x80]) + b"\x80" * (9 - len(raw)) + b"\x00"
        elif kind == "double" and isinstance(value, float):
            out += wire.double(number, value)
        elif kind == "fixed32" and isinstance(value, bytes):
            out += wire.varint(number << 3 | 5) + value
        elif kind == "group" and isinstance(value, list):
            out += wire.varint(number << 3 | 3) + _encode(value) + wire.varint(number << 3 | 4)
        else:
            out += wire.data(number, _encode(value) if isinstance(value, list) else bytes(value))  # type: ignore[arg-type]
    return bytes(out)
