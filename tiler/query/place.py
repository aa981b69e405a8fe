"""Where events stand among each other."""

from __future__ import annotations

from typing import NamedTuple


class Place(NamedTuple):
    """Where an event stands in the order in which occurrences are listed: by time, then by track."""

    start: int
    track: int
    ordinal: int
