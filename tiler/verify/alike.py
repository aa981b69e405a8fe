"""Compares metadata of events that is said to be alike."""

from __future__ import annotations

from collections.abc import Sequence

from tilescope.tiler.details.xstat_tables import EventMetadata, XStatTables


class AlikeCheck:
    """Takes the metadata of a file by ascending numbers. Of what others are like it keeps a hash."""

    def __init__(self, tables: XStatTables) -> None:
        self._tables = tables
        self._stats = [hash(tuple(plane.stat_names.items())) for plane in tables.planes]
        self._known: dict[int, int] = {}

    def holds(self, first: int, entries: Sequence[EventMetadata]) -> bool:
        """Whether each has the names and stats of the one that it is like."""
        for number, entry in enumerate(entries, first):
            alike = int(self._tables.alike[number])
            name = int(self._tables.name[number])
            of = hash((name, entry.name, entry.long_name, entry.stats, self._stats[entry.plane]))
            if alike == number:
                self._known[number] = of
            elif self._known.get(alike) != of:
                return False
        return True
