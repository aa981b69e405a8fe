"""Groups of events whose statistics are asked for: names, categories, tracks, processes or hosts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.query.names import NO_NAME
from tilescope.tiler.query.reader import QueryReader
from tilescope.tiler.schema import TreeGroup
from tilescope.tiler.tools.answer import Column, Value
from tilescope.tiler.tools.host_nouns import host_noun_of_run

Ints = NDArray[np.int64]

Parts = Sequence[TreeGroup]  # the groups of a track tree

GroupBy = Literal["name", "category", "track", "process", "host"]


@dataclass(frozen=True, slots=True)
class Groups:
    """Groups have numbers. What is of one track is in one group, or what is of one name."""

    title: str
    columns: Callable[[Ints], list[Column]]  # that tell which groups these are
    of_track: Callable[[int], int] | None = None
    names: Callable[[Ints], Ints] | None = None

    def of_events(self, track: int, names: Ints) -> Ints:
        """The group of each of some events of a track, by their names."""
        if self.of_track is not None:
            return np.full(len(names), self.of_track(track))
        if self.names is None:
            return names
        distinct, inverse = np.unique(names, return_inverse=True)
        return self.names(distinct)[inverse]

    def of_names(self, names: Ints) -> Ints | None:
        """The group of each of these names; None: each is one."""
        return None if self.names is None else self.names(names)


def groups(reader: QueryReader, by: GroupBy) -> Groups:
    """The groups of this sort in a run."""
    match by:
        case "name":
            return by_name(reader)
        case "category":
            return _by_category(reader)
        case "track":
            return _by_track(reader)
        case "process":
            return _by_group(reader, "process")
        case "host":
            return _by_group(reader, "host")


def by_name(reader: QueryReader) -> Groups:
    """Each name by itself."""

    def columns(numbers: Ints) -> list[Column]:
        names_by_id = reader.names.by_id(numbers.tolist())
        names = [names_by_id[name] for name in numbers.tolist()]
        return [
            Column("name_id", "Name id", "id", numbers),
            Column("name", "Name", "name", [name.text for name in names]),
            Column("category", "Category", "text", [name.category for name in names]),
        ]

    return Groups("Names", columns)


def _by_category(reader: QueryReader) -> Groups:
    number_of: dict[str, int] = {}

    def of_names(names: Ints) -> Ints:
        names_by_id = reader.names.by_id(names.tolist())
        categories = (names_by_id[name].category for name in names.tolist())
        return np.array([number_of.setdefault(category, len(number_of)) for category in categories], np.int64)

    def columns(numbers: Ints) -> list[Column]:
        texts = list(number_of)
        return [Column("category", "Category", "text", [texts[number] for number in numbers.tolist()])]

    return Groups("Categories", columns, names=of_names)


def _by_track(reader: QueryReader) -> Groups:
    tracks, parts, host_title = reader.tree.tracks, reader.tree.groups, host_noun_of_run(reader).capitalize()

    def columns(numbers: Ints) -> list[Column]:
        rows = numbers.tolist()
        places = {track: _place(parts, tracks[track].group) for track in rows}
        return [
            Column("track", "Track", "track", numbers),
            Column("name", "Name", "name", [tracks[track].name for track in rows]),
            Column("process", "Process", "text", [places[track].get("process", "") for track in rows]),
            Column("host", host_title, "text", [places[track].get("host", "") for track in rows]),
        ]

    return Groups("Tracks", columns, of_track=lambda track: track)


def _by_group(reader: QueryReader, kind: Literal["process", "host"]) -> Groups:
    tracks, parts, host_title = reader.tree.tracks, reader.tree.groups, host_noun_of_run(reader).capitalize()
    title = "Process" if kind == "process" else host_title

    def of_track(track: int) -> int:
        return _above(parts, tracks[track].group, kind)

    def columns(numbers: Ints) -> list[Column]:
        rows = numbers.tolist()
        texts: list[Value] = [parts[group].name if group >= 0 else NO_NAME.text for group in rows]
        rollups: list[Value] = [parts[group].rollup if group >= 0 else None for group in rows]
        group_columns = [Column("track", "Track", "track", rollups), Column(kind, title, "name", texts)]
        if kind == "process":
            hosts = [_place(parts, group).get("host", "") for group in rows]
            group_columns.append(Column("host", host_title, "text", hosts))
        return group_columns

    return Groups("Processes" if kind == "process" else f"{host_title}s", columns, of_track=of_track)


def _line(parts: Parts, group: int | None) -> Iterator[TreeGroup]:
    """The group, and those around it."""
    while group is not None:
        yield parts[group]
        group = parts[group].parent


def _above(parts: Parts, group: int, kind: str) -> int:
    return next((part.id for part in _line(parts, group) if part.kind == kind), -1)


def _place(parts: Parts, group: int) -> dict[str, str]:
    """The name of each kind of group around something."""
    return {part.kind: part.name for part in _line(parts, group)}
