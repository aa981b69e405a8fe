"""Rows of a heat map: hosts, processes or tracks in the order of the timeline, or neighbours of these together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from tilescope.tiler.facts.devices import Device
from tilescope.tiler.query import TrackTree
from tilescope.tiler.tools.heat_map.lanes import BusyLane
from tilescope.tiler.tools.question import MAX_TRACKS_TEXT, Tracks

Level = Literal["host", "process", "track"]

LEVELS: Final[tuple[Level, ...]] = ("host", "process", "track")


@dataclass(frozen=True, slots=True, eq=False)
class RowPart:
    """A host, a process or a track: its lanes, and the tracks that a question names it by."""

    level: Level
    name: str
    host: str
    process: str
    named_by: tuple[int, ...]
    lanes: tuple[BusyLane, ...]


@dataclass(frozen=True, slots=True)
class MapRow:
    """Parts that are drawn as one row, in their order."""

    parts: tuple[RowPart, ...]

    @property
    def name(self) -> str:
        """The part's name; of several the first and the last."""
        first, last = self.parts[0].name, self.parts[-1].name
        return first if len(self.parts) == 1 else f"{first} … {last}"

    @property
    def first_track(self) -> int:
        """A track to lead to."""
        return self.parts[0].named_by[0]

    @property
    def lane_count(self) -> int:
        """Lanes of all parts."""
        return sum(len(part.lanes) for part in self.parts)

    @property
    def tracks_text(self) -> str | None:
        """Tracks as a question names them; None where these are too many for one."""
        text = Tracks.from_numbers(track for part in self.parts for track in part.named_by).text()
        return text if len(text) <= MAX_TRACKS_TEXT else None

    def shared(self, what: str) -> str | None:
        """Name of the host or the process that all parts have; None where they are of several."""
        names = {getattr(part, what) for part in self.parts}
        return (names.pop() or None) if len(names) == 1 else None


class RunParts:
    """Parts that may be rows, of some tracks that hold slices, by level."""

    def __init__(self, tree: TrackTree, tracks: Sequence[int], devices: Iterable[Device] | None) -> None:
        """`devices`: only their work counts, with all tracks of a device as one lane; None: each track is a lane."""
        self._tree = tree
        if devices is None:
            self._lanes = [BusyLane(track) for track in tracks]
            return
        chosen = set(tracks)
        works = (tuple(work for work in device.tracks if work.track in chosen) for device in devices)
        self._lanes = sorted((BusyLane(work[0].track, work) for work in works if work), key=lambda lane: lane.track)

    def __len__(self) -> int:
        """Number of lanes."""
        return len(self._lanes)

    def of_level(self, level: Level) -> list[RowPart]:
        """All of a level, in the order of their tracks."""
        if level == "track":
            return [self._track(lane) for lane in self._track_lanes()]
        lanes_by_group: dict[int, list[BusyLane]] = {}
        for lane in self._lanes:
            process = self._tree.tracks[lane.track].group
            host = self._host(process)
            lanes_by_group.setdefault(process if level == "process" or host is None else host, []).append(lane)
        return [self._group(level, group, lanes) for group, lanes in lanes_by_group.items()]

    def _track_lanes(self) -> list[BusyLane]:
        """Each track as a lane of its own."""
        single = (BusyLane(work.track, (work,)) for lane in self._lanes for work in lane.work)
        return sorted(single, key=lambda lane: lane.track) or self._lanes

    def level(self, most: int) -> Level:
        """The level with the most rows that fit, of equal ones the coarser; else the coarsest one with several."""
        counts = {level: len(self.of_level(level)) for level in LEVELS}
        several = [level for level in LEVELS if counts[level] > 1]
        fitting = [level for level in several if counts[level] <= most]
        return max(fitting, key=counts.__getitem__) if fitting else (several or LEVELS)[0]

    def _track(self, lane: BusyLane) -> RowPart:
        track = self._tree.tracks[lane.track]
        host, process = self._host_name(track.group), self._name(track.group)
        return RowPart("track", track.name, host, process, (lane.track,), (lane,))

    def _group(self, level: Level, group: int, lanes: Sequence[BusyLane]) -> RowPart:
        rollup = self._tree.groups[group].rollup
        named_by = (lanes[0].track,) if rollup is None else (rollup,)
        process = self._name(group) if self._tree.groups[group].kind == "process" else ""
        return RowPart(level, self._name(group), self._host_name(group), process, named_by, tuple(lanes))

    def _name(self, group: int) -> str:
        return self._tree.groups[group].name

    def _host(self, group: int) -> int | None:
        row = self._tree.groups[group]
        if row.kind == "host":
            return group
        parent = row.parent
        return parent if parent is not None and self._tree.groups[parent].kind == "host" else None

    def _host_name(self, group: int) -> str:
        host = self._host(group)
        return "" if host is None else self._name(host)


def rows_of(parts: Sequence[RowPart], most: int) -> list[MapRow]:
    """A row for each part, or for so many neighbours that there are at most `most` rows."""
    each = max(1, -(-len(parts) // most))
    return [MapRow(tuple(parts[k : k + each])) for k in range(0, len(parts), each)]


def lanes_of(rows: Sequence[MapRow]) -> list[tuple[BusyLane, int]]:
    """The lanes of all rows, each with the number of its row."""
    return [(lane, number) for number, row in enumerate(rows) for part in row.parts for lane in part.lanes]
