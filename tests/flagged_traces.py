"""Small traces that hold an event of each flag, in both formats."""

from __future__ import annotations

import json
from pathlib import Path

from tests.tiler.readers import wire_writer as w

# Flags by the names of the events; all others have none.
IN_JSON = {
    "never ended": ["open"],
    "renamed": ["renamed"],
    "below zero": ["clamped"],
    "no dur": ["no_duration"],
    "plain": [],
}
IN_XSPACE = {
    "many": ["aggregated"],
    "below zero": ["clamped"],
    "many below zero": ["aggregated", "clamped"],
    "plain": [],
}


def write_json(path: Path) -> Path:
    """So many events that the tiles above must aggregate: the long slice is an individual there."""
    on = {"pid": 1, "tid": 1}
    events = [
        {"ph": "B", "name": "never ended", "ts": 10, **on},
        {"ph": "B", "name": "renamed", "ts": 20, **on},
        {"ph": "E", "name": "of another name", "ts": 30, **on},
        {"ph": "X", "name": "below zero", "ts": 40, "dur": -5, **on},
        {"ph": "X", "name": "no dur", "ts": 50, **on},
        {"ph": "X", "name": "plain", "ts": 60, "dur": 5, **on},
        *({"ph": "X", "name": "filler", "ts": 70 + 2 * k, "dur": 1, **on} for k in range(9000)),
    ]
    path.write_text(json.dumps(events))
    return path


def write_xspace(path: Path) -> Path:
    names = dict(enumerate(IN_XSPACE, 1))
    many = w.number(5, 12)
    line = w.message(
        3,
        w.data(2, "ops"),
        w.number(3, 1000),
        w.message(4, w.number(1, 1), many, w.number(3, 9000)),
        w.message(4, w.number(1, 2), w.number(2, 20_000), w.number(3, -7)),
        w.message(4, w.number(1, 3), many, w.number(3, -1)),
        w.message(4, w.number(1, 4), w.number(2, 30_000), w.number(3, 500)),
    )
    metadata = (w.event_metadata(key, name) for key, name in names.items())
    path.write_bytes(w.message(1, w.data(2, "/device:TPU:0"), line, *metadata))
    return path
