"""Tables of a critical path: its time by kind and by name, what binds it, its pieces, and work that lies beside it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.critical_path import (
    ENDLESS,
    KIND_TITLES,
    KIND_WORDS,
    WAIT_TITLES,
    CriticalPath,
    PathKind,
    PathKindWord,
    WaitKind,
)
from tilescope.tiler.tools.answer import Column, Table, Value
from tilescope.tiler.tools.question import Tracks
from tilescope.tiler.tools.row_query import opens, query_column
from tilescope.tiler.tools.scope import Scope

Ints = NDArray[np.int64]


def kinds_table(path: CriticalPath, tracks: Tracks | None) -> Table:
    """The time of a path by kind, the most first; rows open the pieces of their kind."""
    ticks, counts = path.sums.kind_ticks(), path.sums.kind_counts()
    order = [kind for kind in sorted(PathKind, key=lambda kind: (-ticks[kind], kind)) if counts[kind]]
    columns = [
        Column("kind", "Kind", "text", [KIND_TITLES[kind] for kind in order]),
        Column("time", "Time", "ticks", [ticks[kind] for kind in order]),
        Column("share", "Share of the path", "fraction", _shares([ticks[kind] for kind in order], path), total="none"),
        Column("pieces", "Pieces", "count", [counts[kind] for kind in order]),
        Column("word", "Kind in questions", "text", [KIND_WORDS[kind] for kind in order]),
    ]
    pieces = opens("critical_path", "Its pieces", "path_kind", tracks, column="word")
    totals: dict[str, Value] = {"time": sum(ticks), "pieces": len(path.pieces)}
    return Table("kinds", "By kind", columns, totals=totals, opens=[pieces])


def names_table(scope: Scope, path: CriticalPath, limit: int) -> Table:
    """The time of a path by kind and name, the most first."""
    names = path.sums.names
    ticks, counts = names.ticks.integers(), names.count.tolist()
    order = sorted(range(len(ticks)), key=lambda row: (-ticks[row], row))
    listed, left = order[:limit], order[limit:]
    texts, categories = _texts(scope, names.name[listed])
    columns = [
        Column("name", "Name", "name", texts),
        Column("kind", "Kind", "text", [KIND_TITLES[PathKind(kind)] for kind in names.kind[listed].tolist()]),
        Column("time", "Time", "ticks", [ticks[row] for row in listed]),
        Column("share", "Share of the path", "fraction", _shares([ticks[row] for row in listed], path), total="none"),
        Column("pieces", "Pieces", "count", [counts[row] for row in listed]),
        query_column(texts, categories),
    ]
    rest: dict[str, Value] | None = None
    if left:
        rest = {"time": sum(ticks[row] for row in left), "pieces": sum(counts[row] for row in left)}
    return Table("names", "By name", columns, totals={"time": sum(ticks), "pieces": len(path.pieces)}, rest=rest)


def waits_table(path: CriticalPath) -> Table:
    """Causes that bind a path: how its pieces follow one another, and the time of the delays with them."""
    counts, ticks = path.sums.waits.count.tolist(), path.sums.waits.ticks.integers()
    kinds = [kind for kind in WaitKind if counts[kind]]
    columns = [
        Column("wait", "What binds", "text", [WAIT_TITLES[kind] for kind in kinds]),
        Column("count", "Times", "count", [counts[kind] for kind in kinds]),
        Column("delay", "Delay", "ticks", [None if kind == WaitKind.ORDER else ticks[kind] for kind in kinds]),
    ]
    return Table("waits", "What binds", columns)


def tracks_table(scope: Scope, path: CriticalPath) -> Table:
    """Time of each track on the path, and the work of it that lies beside."""
    tracks = path.sums.tracks
    columns = [
        Column("name", "Track", "name", [scope.reader.tree.tracks[track].name for track in tracks.track.tolist()]),
        Column("on_path", "On the path", "ticks", tracks.on_path.integers()),
        Column("beside", "Work beside it", "ticks", tracks.beside.integers()),
        Column("slack", "Least slack beside it", "ticks", _recorded(tracks.slack.tolist()), total="min"),
        Column("track", "Track", "track", tracks.track),
    ]
    return Table("tracks", "By track", columns)


def beside_table(scope: Scope, path: CriticalPath, limit: int) -> Table:
    """Work beside a path by kind and name: what has least slack first."""
    beside = path.sums.beside
    ticks, counts, least = beside.names.ticks.integers(), beside.names.count.tolist(), beside.slack.tolist()
    order = sorted(range(len(ticks)), key=lambda row: (least[row], -ticks[row], row))
    listed, left = order[:limit], order[limit:]
    texts, _ = _texts(scope, beside.names.name[listed])
    kinds = [PathKind(kind) for kind in beside.names.kind[listed].tolist()]
    columns = [
        Column("name", "Name", "name", texts),
        Column("kind", "Kind", "text", [KIND_TITLES[kind] for kind in kinds]),
        Column("slack", "Least slack", "ticks", _recorded([least[row] for row in listed]), total="min"),
        Column("time", "Time", "ticks", [ticks[row] for row in listed]),
        Column("spans", "Spans", "count", [counts[row] for row in listed]),
        Column("event", "With the least slack", "event", _events(beside.track[listed], beside.ordinal[listed])),
    ]
    rest: dict[str, Value] | None = None
    if left:
        rest = {"time": sum(ticks[row] for row in left), "spans": sum(counts[row] for row in left)}
    return Table("beside", "Beside the path", columns, totals={"time": sum(ticks), "spans": sum(counts)}, rest=rest)


def pieces_table(scope: Scope, path: CriticalPath, word: PathKindWord | None, limit: int) -> Table:
    """The first pieces of a path in the order of time, all or of one kind."""
    pieces = path.pieces
    is_listed = np.array([word in (None, KIND_WORDS[kind]) for kind in PathKind])
    chosen = np.flatnonzero(is_listed[pieces.kind])
    listed = chosen[:limit]
    kinds = [PathKind(kind) for kind in pieces.kind[listed].tolist()]
    texts, _ = _texts(scope, pieces.name[listed])
    columns = [
        Column("start", "Start", "time", pieces.start[listed], total="none"),
        Column("duration", "Duration", "ticks", pieces.ticks[listed]),
        Column("kind", "Kind", "text", [KIND_TITLES[kind] for kind in kinds]),
        Column("name", "Name", "name", texts),
        Column("wait", "Bound by", "text", [WAIT_TITLES[WaitKind(wait)] for wait in pieces.wait[listed].tolist()]),
        Column("event", "In the timeline", "event", _events(pieces.track[listed], pieces.ordinal[listed])),
        Column("track", "Track", "track", [track if track >= 0 else None for track in pieces.track[listed].tolist()]),
    ]
    return Table("path", "The path", columns, totals={"duration": int(pieces.ticks[chosen].sum())})


def _shares(ticks: Sequence[int], path: CriticalPath) -> list[float | None]:
    span = path.stop - path.start
    return [value / span if span else None for value in ticks]


def _recorded(slack: Sequence[int]) -> list[int | None]:
    return [None if value == ENDLESS else value for value in slack]


def _texts(scope: Scope, names: Ints) -> tuple[list[str | None], list[str]]:
    """Text and category of each name id; None: -1."""
    there = scope.reader.names.by_id(np.unique(names[names >= 0]).tolist())
    rows = [there.get(name) for name in names.tolist()]
    return [None if row is None else row.text for row in rows], ["" if row is None else row.category for row in rows]


def _events(tracks: Ints, ordinals: Ints) -> list[str | None]:
    return [
        None if ordinal < 0 else f"{track}.{ordinal}"
        for track, ordinal in zip(tracks.tolist(), ordinals.tolist(), strict=True)
    ]
