"""Tables of a critical path: its time by kind and by name, what binds it, its pieces, and work that lies beside it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.distinct import distinct
from tilescope.tiler.facts.critical_path import ENDLESS, KIND_TITLES, WAIT_TITLES, CriticalPath, PathKind, WaitKind
from tilescope.tiler.facts.wide_sums import WideSums
from tilescope.tiler.tools.answer import Column, Table, Value
from tilescope.tiler.tools.row_query import query_column
from tilescope.tiler.tools.scope import Scope

Ints = NDArray[np.int64]


def kinds_table(path: CriticalPath) -> Table:
    """The time of a path by kind, the most first."""
    pieces = path.pieces
    ticks, counts = _sums(pieces.ticks, pieces.kind, len(PathKind)), np.bincount(pieces.kind, minlength=len(PathKind))
    order = [kind for kind in sorted(PathKind, key=lambda kind: (-ticks[kind], kind)) if counts[kind]]
    columns = [
        Column("kind", "Kind", "text", [KIND_TITLES[kind] for kind in order]),
        Column("time", "Time", "ticks", [ticks[kind] for kind in order]),
        Column("share", "Share of the path", "fraction", _shares([ticks[kind] for kind in order], path), total="none"),
        Column("pieces", "Pieces", "count", [int(counts[kind]) for kind in order]),
    ]
    return Table("kinds", "By kind", columns, totals={"time": sum(ticks), "pieces": len(pieces)})


def names_table(scope: Scope, path: CriticalPath, limit: int) -> Table:
    """The time of a path by kind and name, the most first."""
    pieces = path.pieces
    key, group = _groups(pieces.kind, pieces.name)
    ticks, counts = _sums(pieces.ticks, group, key.shape[1]), np.bincount(group, minlength=key.shape[1]).tolist()
    order = sorted(range(len(ticks)), key=lambda row: (-ticks[row], row))
    listed, left = order[:limit], order[limit:]
    texts, categories = _texts(scope, key[1, listed])
    columns = [
        Column("name", "Name", "name", texts),
        Column("kind", "Kind", "text", [KIND_TITLES[PathKind(kind)] for kind in key[0, listed].tolist()]),
        Column("time", "Time", "ticks", [ticks[row] for row in listed]),
        Column("share", "Share of the path", "fraction", _shares([ticks[row] for row in listed], path), total="none"),
        Column("pieces", "Pieces", "count", [counts[row] for row in listed]),
        query_column(texts, categories),
    ]
    rest: dict[str, Value] | None = None
    if left:
        rest = {"time": sum(ticks[row] for row in left), "pieces": sum(counts[row] for row in left)}
    return Table("names", "By name", columns, totals={"time": sum(ticks), "pieces": len(pieces)}, rest=rest)


def waits_table(path: CriticalPath) -> Table:
    """Causes that bind a path: how its pieces follow one another, and the time of the delays with them."""
    pieces = path.pieces
    counts = np.bincount(pieces.wait, minlength=len(WaitKind)).tolist()
    ticks = _sums(np.where(pieces.wait == WaitKind.ORDER, 0, pieces.ticks), pieces.wait, len(WaitKind))
    kinds = [kind for kind in WaitKind if counts[kind]]
    columns = [
        Column("wait", "What binds", "text", [WAIT_TITLES[kind] for kind in kinds]),
        Column("count", "Times", "count", [counts[kind] for kind in kinds]),
        Column("delay", "Delay", "ticks", [None if kind == WaitKind.ORDER else ticks[kind] for kind in kinds]),
    ]
    return Table("waits", "What binds", columns)


def tracks_table(scope: Scope, path: CriticalPath) -> Table:
    """Time of each track on the path, and the work of it that lies beside."""
    tracks = np.unique(path.work.track)
    on_path = _sums_of(path.pieces.ticks, path.pieces.track, tracks)
    beside = path.work.slack > 0
    ticks = _sums_of((path.work.stop - path.work.start)[beside], path.work.track[beside], tracks)
    least = np.full(len(tracks), ENDLESS)
    np.minimum.at(least, np.searchsorted(tracks, path.work.track[beside]), path.work.slack[beside])
    columns = [
        Column("name", "Track", "name", [scope.reader.tree.tracks[track].name for track in tracks.tolist()]),
        Column("on_path", "On the path", "ticks", on_path),
        Column("beside", "Work beside it", "ticks", ticks),
        Column("slack", "Least slack beside it", "ticks", _recorded(least.tolist()), total="min"),
        Column("track", "Track", "track", tracks),
    ]
    return Table("tracks", "By track", columns)


def beside_table(scope: Scope, path: CriticalPath, limit: int) -> Table:
    """Work beside a path by kind and name: what has least slack first."""
    beside = np.flatnonzero(path.work.slack > 0)
    kind, name, slack = (getattr(path.work, column)[beside] for column in ("kind", "name", "slack"))
    key, group = _groups(kind, name)
    count = key.shape[1]
    ticks = _sums((path.work.stop - path.work.start)[beside], group, count)
    least = np.full(count, ENDLESS)
    np.minimum.at(least, group, slack)
    is_least = np.flatnonzero(slack == least[group])
    first = np.full(count, len(path.work.start))
    np.minimum.at(first, group[is_least], beside[is_least])
    counts = np.bincount(group, minlength=count).tolist()
    order = sorted(range(count), key=lambda row: (least[row], -ticks[row], row))[:limit]
    texts, _ = _texts(scope, key[1, order])
    listed = first[order]
    columns = [
        Column("name", "Name", "name", texts),
        Column("kind", "Kind", "text", [KIND_TITLES[PathKind(value)] for value in key[0, order].tolist()]),
        Column("slack", "Least slack", "ticks", _recorded(least[order].tolist()), total="min"),
        Column("time", "Time", "ticks", [ticks[row] for row in order]),
        Column("spans", "Spans", "count", [counts[row] for row in order]),
        Column(
            "event",
            "With the least slack",
            "event",
            _events(path.work.track[listed], path.work.ordinal[listed]),
        ),
    ]
    rest: dict[str, Value] | None = None
    if count > limit:
        listed_ticks, listed_spans = (sum(sums[row] for row in order) for sums in (ticks, counts))
        rest = {"time": sum(ticks) - listed_ticks, "spans": len(beside) - listed_spans}
    return Table("beside", "Beside the path", columns, totals={"time": sum(ticks), "spans": len(beside)}, rest=rest)


def pieces_table(scope: Scope, path: CriticalPath, limit: int) -> Table:
    """The first pieces of a path, in the order of time."""
    pieces = path.pieces
    listed = slice(0, limit)
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
    return Table("path", "The path", columns, totals={"duration": path.stop - path.start})


def _groups(kind: Ints, name: Ints) -> tuple[Ints, Ints]:
    """Pairs of kind and name, shape (2, n), ascending; and the pair of each row."""
    pairs, group = distinct(kind * (int(name.max(initial=0)) + 2) + name + 1)
    kinds, names = np.divmod(pairs, int(name.max(initial=0)) + 2)
    return np.stack([kinds, names - 1]), group


def _sums(values: Ints, groups: Ints, count: int) -> list[int]:
    return WideSums.from_groups(np.ma.MaskedArray(values), groups, count).integers()


def _sums_of(values: Ints, tracks: Ints, chosen: Ints) -> list[int]:
    """Sums by track of those that are chosen, which ascend and are all that there are but -1."""
    there = tracks >= 0
    return _sums(values[there], np.searchsorted(chosen, tracks[there]), len(chosen))


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
