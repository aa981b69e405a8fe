"""XSpaces of a few events, plane by plane."""

from __future__ import annotations

import numpy as np

from tests.hostile.case import Case, Indexed, Refused, put
from tests.tiler.readers import wire_writer as w

NS = 1000  # ps


def event(name: int = 1, offset_ps: int = 0, duration_ps: int = 2000, *more: bytes) -> bytes:
    """An event of a line."""
    return w.message(4, w.number(1, name), w.number(2, offset_ps), w.number(3, duration_ps), *more)


def events(offsets_ps: range, durations_ps: range) -> bytes:
    """Millions of events of name 1, in which every number takes eight bytes."""
    width = 8
    rows = np.zeros((len(offsets_ps), 2 + 2 + 2 * (1 + width)), np.uint8)
    rows[:, :4] = 0x22, rows.shape[1] - 2, 0x08, 1
    for field, values in enumerate((offsets_ps, durations_ps)):
        numbers = np.arange(values.start, values.stop, values.step, dtype=np.int64)
        at = 4 + field * (1 + width)
        rows[:, at] = (2 + field) << 3
        for byte in range(width):
            more = 0x80 if byte < width - 1 else 0
            rows[:, at + 1 + byte] = (numbers >> (7 * byte)) & 0x7F | more
    return rows.tobytes()


def line(name: str | bytes, *parts: bytes, start_ns: int = 1000, number: int = 1) -> bytes:
    """A line of a plane."""
    return w.message(3, w.number(1, number), w.data(2, name), w.number(3, start_ns), *parts)


def plane(name: str | bytes, *parts: bytes) -> bytes:
    """A plane with the names a, b, c."""
    names = b"".join(w.event_metadata(key, text) for key, text in enumerate("abc", 1))
    return w.message(1, w.data(2, name), names, *parts)


def environment(*stats: bytes) -> bytes:
    """The plane that knows when the capture began: stat 1 is `profile_start_time`."""
    return w.message(1, w.data(2, "Task Environment"), w.stat_metadata(1, "profile_start_time"), *stats)


# a at 0 for 2 ns, b at 4 ns for 2 ns; in another process c at 1 ns for 1 ns.
OPS = line("XLA Ops", event(1, 0), event(2, 4000))
DEVICE = plane("/device:TPU:0", OPS)
HOST = plane("/host:CPU", line("python", event(3, 1000, 1000)))
NAME = w.data(4, "host0")
SPACE = DEVICE + HOST + NAME
SPANS = (("a", 0, 2 * NS), ("b", 4 * NS, 2 * NS), ("c", 1 * NS, 1 * NS))


def kept(said: tuple[str, ...] = (), events: int = 3, tracks: int = 2, hosts: tuple[str, ...] | None = None) -> Indexed:
    """SPACE as it is, or with more that does not show."""
    return Indexed(events, tracks, said, SPANS if events == 3 else None, hosts)


def case(name: str, about: str, data: bytes, *accepted: Indexed | Refused, file: str = "h.xplane.pb") -> Case:
    """A case of one small XSpace."""
    return Case(name, about, put(file, data), accepted)
