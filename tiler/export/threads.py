"""Processes, threads and counters of a trace-event file: their ids and names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any, Final

from tilescope.tiler.export.event_text import quoted
from tilescope.tiler.export.lanes import MAX_LANES
from tilescope.tiler.query import TrackTree

# Threads of lanes have ids beyond those of tracks, of which each has room for its own.
_LANES_FROM: Final = 1 << 24


class Threads:
    """Of some tracks of a tree. A track is the thread of its number, its group the process of its own."""

    def __init__(self, tree: TrackTree) -> None:
        self.tree = tree

    def pid(self, track: int) -> int:
        """The process of a track; none is 0, which viewers take for the idle process."""
        return int(self.tree.tracks[track]["group"]) + 1

    def tid(self, track: int, lane: int = 0) -> int:
        """The thread of a lane of a track."""
        return track + 1 if lane == 0 else _LANES_FROM + track * MAX_LANES + lane

    def name(self, track: int) -> str:
        """What a track is called."""
        return str(self.tree.tracks[track]["name"])

    def counter(self, track: int) -> str:
        """What a counter is known by in its process: its name, and its number where others have that name, too."""
        name = f'"name":{quoted(self.name(track))}'
        return f'{name},"id":{track}' if self._alike[self._place(track)] > 1 else name

    def named(self, tracks: Iterable[int]) -> Iterator[str]:
        """The events that name processes and threads, in the order of the screen."""
        groups: set[int] = set()
        for track in tracks:
            group = self.tree.tracks[track]["group"]
            if group not in groups:
                groups.add(group)
                yield self._process("process_name", group, f'"name":{quoted(self._process_name(group))}')
                yield self._process("process_sort_index", group, f'"sort_index":{group}')
            if self.tree.tracks[track]["kind"] in ("slice", "instant"):
                yield from self.named_lane(track, 0)

    def named_lane(self, track: int, lane: int) -> Iterator[str]:
        """The events that name one thread: those of a track's lanes have its name, and follow one another."""
        ids = f'"pid":{self.pid(track)},"tid":{self.tid(track, lane)}'
        yield f'{{"ph":"M","name":"thread_name",{ids},"args":{{"name":{quoted(self.name(track))}}}}}'
        yield f'{{"ph":"M","name":"thread_sort_index",{ids},"args":{{"sort_index":{track + 1}}}}}'

    def _process_name(self, group: int) -> str:
        found: dict[str, Any] = self.tree.groups[group]
        host = found["parent"]
        if found["kind"] != "process" or host is None or self._hosts < 2:
            return str(found["name"])
        return f"{self.tree.groups[host]['name']} {found['name']}"

    @cached_property
    def _hosts(self) -> int:
        return sum(group["kind"] == "host" for group in self.tree.groups)

    @cached_property
    def _alike(self) -> Counter[tuple[int, str]]:
        """How many counters of each process have the same name."""
        tracks = enumerate(self.tree.tracks)
        return Counter(self._place(number) for number, track in tracks if track["kind"] == "counter")

    def _place(self, track: int) -> tuple[int, str]:
        return int(self.tree.tracks[track]["group"]), self.name(track)

    def _process(self, what: str, group: int, args: str) -> str:
        return f'{{"ph":"M","name":"{what}","pid":{group + 1},"args":{{{args}}}}}'
