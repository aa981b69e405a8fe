"""Which tracks a run shows, in which order: the screen from top to bottom."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tilescope.tiler.build.track_data import TrackData
from tilescope.tiler.columns import Process, TraceSummary, Track, TrackKind

# Kinds whose events a rollup sums.
_SUMMED = (TrackKind.SLICE, TrackKind.ASYNC, TrackKind.INSTANT)


@dataclass(frozen=True, slots=True)
class Group:
    """A host or a process."""

    id: int
    parent: int | None
    kind: str  # "host" or "process"
    name: str
    detail: str
    rollup: int | None  # its rollup track


@dataclass(frozen=True, slots=True)
class PlacedTrack:
    """A track at its place. Its id is its position on the screen."""

    id: int
    group: int
    kind: TrackKind
    name: str
    detail: str
    file: int
    data: TrackData | None  # None: no events, or a rollup
    children: tuple[TrackData, ...] = ()  # of a rollup

    @property
    def events(self) -> int:
        """How many events the track holds."""
        return sum(len(child) for child in self.children) if self.data is None else len(self.data)

    @property
    def rows(self) -> int:
        """Rows that its slices take; at least 1."""
        return 1 if self.data is None else self.data.rows

    @property
    def busy(self) -> int:
        """Sum of the durations of its slices."""
        tracks = self.children if self.data is None else (self.data,)
        return sum(track.busy for track in tracks)

    @property
    def events_with_details(self) -> int:
        """How many events have an entry in a chunk of arguments: all of a track of which any has arguments."""
        return len(self.data) if self.data is not None and len(self.data.args) else 0

    def to_json(self) -> dict[str, Any]:
        """As docs/api.md has it."""
        out: dict[str, Any] = {
            "id": self.id,
            "group": self.group,
            "kind": str(self.kind),
            "name": self.name,
            "detail": self.detail,
            "rows": self.rows,
            "events": str(self.events),
            "busy": str(self.busy),
        }
        if self.kind == TrackKind.ROLLUP:
            out["lanes"] = sum(child.rows for child in self.children)
        if self.kind == TrackKind.COUNTER and self.data is not None and self.data.value is not None:
            out["min"] = float(self.data.value.min())
            out["max"] = float(self.data.value.max())
        return out


@dataclass(slots=True)
class Layout:
    """All groups and tracks of a run."""

    groups: list[Group] = field(default_factory=list)
    tracks: list[PlacedTrack] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """As docs/api.md has it."""
        groups = [
            {"id": g.id, "parent": g.parent, "kind": g.kind, "name": g.name, "detail": g.detail, "rollup": g.rollup}
            for g in self.groups
        ]
        return {"groups": groups, "tracks": [track.to_json() for track in self.tracks]}


def lay_out(summaries: Sequence[TraceSummary], data_of: Callable[[tuple[int, int]], TrackData | None]) -> Layout:
    """Places all tracks. `data_of((file, track))` gives a track's events."""
    layout = Layout()
    hosts: dict[str, int] = {}
    for file in sorted(range(len(summaries)), key=lambda k: _natural(summaries[k].hostname)):
        summary = summaries[file]
        host = hosts.get(summary.hostname)
        if host is None:
            host = hosts[summary.hostname] = len(layout.groups)
            layout.groups.append(Group(host, None, "host", summary.hostname or "host", "", None))
        tracks_of: list[list[int]] = [[] for _ in summary.processes]
        for track in _by_sort_index(summary.tracks):
            if summary.tracks[track].kind != TrackKind.FLOW:
                tracks_of[summary.tracks[track].process].append(track)
        for process in _by_sort_index(summary.processes):
            shown = [(summary.tracks[track], data_of((file, track))) for track in tracks_of[process]]
            _place(layout, host, file, summary.processes[process], shown)
    return layout


def _place(
    layout: Layout, host: int, file: int, process: Process, tracks: list[tuple[Track, TrackData | None]]
) -> None:
    group = len(layout.groups)
    children = tuple(data for track, data in tracks if data is not None and track.kind in _SUMMED)
    first = len(layout.tracks)
    layout.groups.append(Group(group, host, "process", process.name, process.detail, first if children else None))
    if children:
        rollup = PlacedTrack(first, group, TrackKind.ROLLUP, process.name, "", file, None, children)
        layout.tracks.append(rollup)
    for track, data in tracks:
        placed = PlacedTrack(len(layout.tracks), group, track.kind, track.name, track.detail, file, data)
        layout.tracks.append(placed)


def _by_sort_index(items: Sequence[Process] | Sequence[Track]) -> list[int]:
    return sorted(range(len(items)), key=lambda k: items[k].sort_index)


def _natural(text: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", text)]
