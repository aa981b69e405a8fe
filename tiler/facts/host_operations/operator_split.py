"""Ways in which calls of one operator are told apart: by the shapes of their inputs, by thread, by host."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tilescope.tiler.query import QueryReader

OperatorSplit = Literal["operator", "shapes", "thread", "host"]


@dataclass(frozen=True, slots=True)
class OperatorKey:
    """Key of a row: operators that have it in common are together."""

    name: str
    shapes: str = ""
    place: int = -1  # track of the thread, or group of the host


def place_of(reader: QueryReader, track: int, split: OperatorSplit) -> int:
    """The place at which the operators of a track count; -1: with those of all other tracks."""
    if split == "thread":
        return track
    return _host(reader, track) if split == "host" else -1


def _host(reader: QueryReader, track: int) -> int:
    """The group of the host that a track belongs to, or -1."""
    group: int | None = reader.tree.tracks[track].group
    for _ in reader.tree.groups:
        if group is None or reader.tree.groups[group].kind == "host":
            break
        group = reader.tree.groups[group].parent
    return -1 if group is None else group
