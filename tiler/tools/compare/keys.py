"""Keys of the events of one side: by name, category, track, process, host or argument; and what leads to a row."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from tilescope.tiler.query import QueryReader
from tilescope.tiler.tools.answer import values_of
from tilescope.tiler.tools.compare.normalised import Match, matched
from tilescope.tiler.tools.compare.side import STEP_MARK
from tilescope.tiler.tools.compare.sums import Grouping, Ints, Key
from tilescope.tiler.tools.compare.track_paths import TrackPaths
from tilescope.tiler.tools.row_query import MOST_CHARACTERS, category_query, name_query
from tilescope.tiler.tools.stats import StatsBy
from tilescope.tiler.tools.stats.value_groups import ValueGroups

_MOST_ORIGINALS: Final = 16  # names behind one row that a search can have


class SideKeys:
    """Keys of one run. What they were made of is remembered, for the rows that are shown."""

    def __init__(
        self,
        reader: QueryReader,
        paths: TrackPaths,
        by: StatsBy,
        match: Match,
        marks: frozenset[str],
        valued: ValueGroups | None = None,
    ) -> None:
        """`marks`: names of slices that mark steps, which have one name in common. `valued`: with by=argument."""
        self._reader = reader
        self._paths = paths
        self._by = by
        self._match: Match = match
        self._marks = marks
        self._valued = valued
        self._named: list[tuple[list[str], list[Key]]] = []  # texts of names, and their keys
        self._tracks: dict[Key, int] = {}

    def grouping(self) -> Grouping:
        """Groups of events, and the keys of these."""
        tracks = self._reader.tree.tracks
        match self._by:
            case "name" | "category":
                return Grouping(self._name_keys)
            case "track":
                return Grouping(self._track_keys, of_track=lambda track: track)
            case "process":
                return Grouping(self._group_keys, of_track=lambda track: tracks[track].group)
            case "host":
                return Grouping(self._group_keys, of_track=lambda track: self._paths.above(track, "host"))
            case "argument":
                assert self._valued is not None
                return Grouping(self._value_keys, rename=self._valued.of_page)

    def track(self, key: Key) -> int | None:
        """The track that leads to a row about a track or a group; None: it is of names, or is not in this run."""
        return self._tracks.get(key)

    def queries(self, keys: Sequence[Key]) -> list[str | None]:
        """A search for the events of each row in this run; None: none of it does, or it would be too long."""
        if self._by == "category":
            return [category_query(key[0]) for key in keys]
        originals: dict[Key, list[str]] = {key: [] for key in keys}
        for texts, keys_of_texts in self._named:
            for text, key in zip(texts, keys_of_texts, strict=True):
                names = originals.get(key)
                if names is not None and len(names) <= _MOST_ORIGINALS and text not in names:
                    names.append(text)
        return [_name_query(key, originals[key]) for key in keys]

    def _name_keys(self, numbers: Ints) -> Iterable[Key]:
        ids = numbers.tolist()
        by_id = self._reader.names.by_id(ids)
        names = [by_id[number] for number in ids]
        if self._by == "category":
            return [(name.category,) for name in names]
        texts, marks, match = [name.text for name in names], self._marks, self._match
        shown = texts if match == "exact" else [matched(text, match) for text in texts]
        if marks:
            shown = [STEP_MARK if text in marks else short for text, short in zip(texts, shown, strict=True)]
        keys: list[Key] = [(text, name.category) for text, name in zip(shown, names, strict=True)]
        self._named.append((texts, keys))
        return keys

    def _track_keys(self, numbers: Ints) -> Iterable[Key]:
        for track in numbers.tolist():
            key = self._paths.track(track)
            self._tracks.setdefault(key, track)
            yield key

    def _group_keys(self, numbers: Ints) -> Iterable[Key]:
        for group in numbers.tolist():
            name = self._reader.tree.groups[group].name if group >= 0 else ""
            key = (matched(name, self._match),) if self._by == "host" else self._paths.group(group)
            rollup = self._reader.tree.groups[group].rollup if group >= 0 else None
            if rollup is not None:
                self._tracks.setdefault(key, rollup)
            yield key

    def _value_keys(self, numbers: Ints) -> Iterable[Key]:
        assert self._valued is not None
        column = self._valued.groups().columns(numbers)[0]
        for value in values_of(column):
            yield ("" if value is None else matched(str(value), self._match),)


def _name_query(key: Key, names: Sequence[str]) -> str | None:
    """A search for some names, which have a key in common."""
    if len(names) == 1:
        return name_query(names[0], key[1])
    if not names or len(names) > _MOST_ORIGINALS:
        return None
    pattern = "|".join(re.escape(name).replace("/", r"\/") for name in names)
    query = f"/^({pattern})$/"
    return query if len(query) <= MOST_CHARACTERS else None


def search_texts(sides: Sequence[SideKeys], keys: Sequence[Key]) -> list[str | None]:
    """For each row the search of the first side that has one."""
    by_side = zip(*(side.queries(keys) for side in sides), strict=True)
    return [next((text for text in texts if text is not None), None) for texts in by_side]


def tracks_of(sides: Sequence[SideKeys], keys: Sequence[Key]) -> list[int | None]:
    """For each row the track on the first side that has one."""
    return [next((track for side in sides if (track := side.track(key)) is not None), None) for key in keys]
