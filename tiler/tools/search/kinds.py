"""Kinds of places that have the words of a search: arguments, tracks and processes, each with its own query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from tilescope.tiler.query import Interruptible
from tilescope.tiler.search.language import MAX_QUERY, Argument, Kind, Query
from tilescope.tiler.search.occurrences import occurrences
from tilescope.tiler.search.patterns import is_match
from tilescope.tiler.search.selection import select
from tilescope.tiler.search.totals import totals
from tilescope.tiler.tools.answer import Column, Note, Table
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.windows import WindowsOf

MAX_ARGUMENTS: Final = 1000  # rows; a trace may name each argument in another way
NO_WORDS: Final = "arguments, tracks and processes are looked through for plain words alone"


class KindRow(Struct, frozen=True):
    """A kind of place in which all of the words are."""

    kind: str
    argument: str  # "" for others than arguments
    items: int  # tracks, processes; of arguments 1
    events: int
    query: Query

    def written(self) -> str:
        """The query; "" where none can be written: the name of the argument is empty, or too long."""
        text = self.query.written()
        is_nameless = self.kind == "argument" and not self.argument
        return "" if is_nameless or len(text) > MAX_QUERY else text


def kinds_table(
    scope: Scope, query: Query, tracks: Sequence[int], windows_of: WindowsOf, notes: list[Note]
) -> Interruptible[Table]:
    """The most frequent arguments first, then tracks, then processes. Raises DamagedStore."""
    rows: list[KindRow] = []
    words = [pattern.text for pattern in query.names if pattern.kind is Kind.CONTAINS]
    if Query(names=query.names) != query or len(words) < len(query.names):
        notes.append(Note("info", NO_WORDS))
    else:
        counts = yield from occurrences(scope.reader, words, tracks, windows_of)
        places = yield from _place_rows(scope, query, tracks, windows_of)
        most_frequent = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        if len(counts) > MAX_ARGUMENTS:
            text = f"{len(counts):,} arguments have the words: the {MAX_ARGUMENTS} most frequent are listed"
            notes.append(Note("info", text))
        for name, count in most_frequent[:MAX_ARGUMENTS]:
            arguments = Query(arguments=tuple(Argument(name, "~", word) for word in words))
            rows.append(KindRow("argument", name, 1, count, arguments))
        rows += places
    columns = [
        Column("kind", "Kind", "text", [row.kind for row in rows]),
        Column("argument", "Argument", "text", [row.argument for row in rows]),
        Column("items", "Items", "count", [row.items for row in rows]),
        Column("events", "Events", "count", [row.events for row in rows]),
        Column("query", "Query", "text", [row.written() for row in rows]),
    ]
    return Table("kinds", "Other places of the words", columns)


def _place_rows(
    scope: Scope, query: Query, tracks: Sequence[int], windows_of: WindowsOf
) -> Interruptible[list[KindRow]]:
    """Tracks and processes of which the name has the words."""
    tree = scope.reader.tree
    matches = [is_match(pattern) for pattern in query.names]

    def has_words(name: str) -> bool:
        return all(match(name) for match in matches)

    named_tracks = sum(has_words(tree.tracks[track].name) for track in tracks)
    processes = {
        (*tree.hosts_of(track), name) for track in tracks for name in tree.processes_of(track) if has_words(name)
    }
    rows = []
    for kind, items, of_kind in (
        ("track", named_tracks, Query(tracks=query.names)),
        ("process", len(processes), Query(processes=query.names)),
    ):
        if items:
            selection = yield from select(scope.reader, of_kind, tracks)
            sums = yield from totals(scope.reader, selection, windows_of)
            rows.append(KindRow(kind, "", items, int(sums.count.sum()), of_kind))
    return rows
