"""Tracks as the client shows them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tilescope.tiler.errors import UsageError


@dataclass(frozen=True, slots=True)
class Track:
    """A track of a run. Times are ticks."""

    id: int
    kind: str  # slice, async, instant, counter or rollup
    name: str
    detail: str
    path: tuple[str, ...]  # names of the groups around it, outermost first: host, process
    rows: int  # nesting depth
    events: int
    busy: int  # sum of the durations
    min: float | None = None  # of counters
    max: float | None = None


# What may stand for tracks in a question: one, several, or None for all.
Tracks = int | Track | Iterable[int | Track] | None


def tracks_of(tree: Mapping[str, Any]) -> list[Track]:
    """The tracks of a track tree, by id."""
    groups = {group["id"]: group for group in tree["groups"]}

    def path(group: int | None) -> tuple[str, ...]:
        return () if group is None else (*path(groups[group]["parent"]), groups[group]["name"])

    return [
        Track(
            track["id"],
            track["kind"],
            track["name"],
            track["detail"],
            path(track["group"]),
            track["rows"],
            int(track["events"]),
            int(track.get("busy") or 0),
            track.get("min"),
            track.get("max"),
        )
        for track in tree["tracks"]
    ]


def ids_of(tracks: Tracks) -> Sequence[int] | None:
    """The numbers of the tracks that are meant. Raises UsageError for what is no track."""
    if tracks is None:
        return None
    several = [tracks] if isinstance(tracks, int | Track) else list(tracks)
    ids = [track.id if isinstance(track, Track) else track for track in several]
    for track in ids:
        if not isinstance(track, int):
            raise UsageError(f"{track!r} is no track: give its number, or what tracks() has returned")
    return ids
