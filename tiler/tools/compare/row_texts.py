"""The columns that name rows of a comparison, and those that lead from them into both timelines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tilescope.tiler.tools.answer import Column
from tilescope.tiler.tools.compare.changes import Changes
from tilescope.tiler.tools.compare.keys import SideKeys, search_texts, tracks_of
from tilescope.tiler.tools.compare.side import ComparedSide
from tilescope.tiler.tools.compare.sums import Ints, Key
from tilescope.tiler.tools.compare.tables import RowTexts
from tilescope.tiler.tools.compare.track_paths import TrackPaths, path_text
from tilescope.tiler.tools.host_nouns import host_noun_of_run
from tilescope.tiler.tools.stats import StatsBy

# Of these it is said where they change most.
IN_PLACES: Final[frozenset[StatsBy]] = frozenset({"name", "category"})

TITLES: Final[dict[StatsBy, str]] = {
    "name": "Names",
    "category": "Categories",
    "track": "Tracks",
    "process": "Processes",
    "host": "Hosts",
    "argument": "Values",
}


@dataclass(frozen=True, slots=True)
class RowSource:
    """The sides of a comparison, the new run first, by what their events are grouped."""

    by: StatsBy
    argument: str
    sides: Sequence[ComparedSide]
    keys: Sequence[SideKeys]
    paths: Sequence[TrackPaths]

    def track_columns(self, rows: Sequence[Key], places: Sequence[Key]) -> list[Column]:
        """The track of each row in the new run, and in the first that has one of those before."""
        if self.by in IN_PLACES:
            by_path = [path.by_path(side.tracks) for side, path in zip(self.sides, self.paths, strict=True)]
            new = [by_path[0].get(place) for place in places]
            base = [next((t[place] for t in by_path[1:] if place in t), None) for place in places]
        else:
            new, base = tracks_of(self.keys[:1], rows), tracks_of(self.keys[1:], rows)
        return [Column("track", "Track", "track", new), Column("base_track", "Track before", "id", base)]

    def search_columns(self, rows: Sequence[Key]) -> list[Column]:
        """Searches for the events of each row, likewise."""
        return [
            Column("query", "Search", "text", search_texts(self.keys[:1], rows)),
            Column("base_query", "Search before", "text", search_texts(self.keys[1:], rows)),
        ]


def row_texts(source: RowSource, changes: Changes, rows: Ints) -> RowTexts:
    """Texts of some rows, in this order."""
    title, keys = TITLES[source.by], [changes.keys[row] for row in rows.tolist()]
    last = [key[-1] if key else "" for key in keys]
    if source.by in IN_PLACES:
        places = changes.places(rows)
        names = [Column("category", "Category", "text" if source.by == "name" else "name", last)]
        if source.by == "name":
            names.insert(0, Column("name", "Name", "name", [key[0] for key in keys]))
        links = [*source.search_columns(keys), *source.track_columns(keys, places)]
        return RowTexts(title, names, links, places)
    if source.by == "argument":
        return RowTexts(title, [Column("value", f"Values of {source.argument}", "name", last)])
    if source.by == "track":
        above = [path_text(key[:-1]) for key in keys]
        names = [Column("name", "Name", "name", last), Column("process", "In", "text", above)]
    else:
        reader = source.sides[0].scope.reader
        noun = "Process" if source.by == "process" else host_noun_of_run(reader).capitalize()
        names = [Column("name", noun, "name", [path_text(key) for key in keys])]
    return RowTexts(title, names, source.track_columns(keys, []))
