"""Places of events among each other."""

from __future__ import annotations

from typing import NamedTuple


class Place(NamedTuple):
    """Place of an event in the order in which occurrences are listed: by time, then by track."""

    start: int
    track: int
    ordinal: int
