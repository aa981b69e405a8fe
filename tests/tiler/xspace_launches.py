"""An XSpace of a host that launches and a device that runs, as bytes: with stats that join the two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from tests.tiler.readers import wire_writer as w

HOST: Final = "/host:CPU"
DEVICE: Final = "/device:GPU:0"
STREAM: Final = "Stream #7(Compute)"

# Of an event: its name, its start, its stats as bytes; it lasts 50 ps unless it says else.
Event = tuple[str, int, bytes] | tuple[str, int, bytes, int]
Lines = Mapping[str, Sequence[Event]]

CORRELATION, OTHER, STEP = 5, 6, 7  # ids of stats


def correlated(value: int, *, field: int = 3, key: int = CORRELATION) -> bytes:
    """The stat of a launch, and of its work."""
    return w.message(4, w.number(1, key), w.number(field, value))


def plane(
    name: str, lines: Lines, correlation: str = "correlation_id", *, marks: bool = False, more: bytes = b""
) -> bytes:
    """A plane of these lines; `marks`: with events that are steps; `more`: names of other stats."""
    ids = {text: place + 1 for place, text in enumerate(sorted({e[0] for events in lines.values() for e in events}))}
    parts = [w.data(2, name)]
    for number, (line, events) in enumerate(lines.items(), 1):
        written = [
            w.message(4, w.number(1, ids[e[0]]), w.number(2, e[1]), w.number(3, (*e, 50)[3]), e[2]) for e in events
        ]
        parts.append(w.message(3, w.number(1, number), w.data(2, line), *written))
    parts += [w.event_metadata(key, text) for text, key in ids.items()]
    parts += [w.stat_metadata(CORRELATION, correlation), w.stat_metadata(OTHER, "stream")]
    if marks:
        parts.append(w.stat_metadata(STEP, "step_num"))
    return w.message(1, *parts, more)


def step(number: int) -> bytes:
    """The stat of an annotation of a step."""
    return w.message(4, w.number(1, STEP), w.number(3, number))
