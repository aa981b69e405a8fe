"""DescribedTracks of a trace by their numbers, as processes and threads of trace events.

A thread's track is the thread. Any other track is a lane of its process, or of the trace where it has none, called
after itself and the tracks around it, up to the process or thread.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from msgspec import Struct

from tilescope.tiler.readers.perfetto.sequence import text
from tilescope.tiler.readers.translated.event_text import Event, metadata

GLOBAL: Final = "Trace"  # process of tracks that belong to none
_MOST_PARENTS: Final = 64  # tracks in each other; a cycle ends here
_UNITS: Final = ("", "ns", "", "bytes")
_BUILT_IN: Final = ("", "thread time", "thread instructions")
_TIME_NS: Final = 1

Identity = int | str


class TrackPlace(Struct, frozen=True):
    """Process and thread of trace events."""

    pid: Identity
    tid: Identity | None
    name: str = ""  # of a counter


class CounterTrack(Struct, frozen=True):
    """A counter's track."""

    unit: str
    multiplier: int
    is_incremental: bool


class _Track(Struct):
    name: str = ""
    parent: int = 0
    pid: int | None = None
    tid: int | None = None
    process_name: str = ""
    thread_name: str = ""
    rank: int | None = None
    counter: CounterTrack | None = None
    place: TrackPlace | None = None


class DescribedTracks:
    """All tracks that were described, or used."""

    def __init__(self) -> None:
        self._tracks: dict[int, _Track] = {}
        self._used: dict[int, TrackPlace] = {}
        self.undescribed = 0  # events on tracks that nothing described before them

    def describe(self, descriptor: Any) -> None:
        """Takes a descriptor; a later one adds what it says."""
        track = self._tracks.setdefault(descriptor.uuid, _Track())
        track.name = text(descriptor.name or descriptor.static_name or descriptor.atrace_name) or track.name
        track.parent = descriptor.parent_uuid or track.parent
        if descriptor.HasField("process"):
            track.pid = descriptor.process.pid
            first = descriptor.process.cmdline[0] if descriptor.process.cmdline else b""
            track.process_name = text(descriptor.process.process_name or first) or track.process_name
        if descriptor.HasField("thread"):
            track.pid, track.tid = descriptor.thread.pid, descriptor.thread.tid
            track.thread_name = text(descriptor.thread.thread_name) or track.thread_name
        if descriptor.HasField("sibling_order_rank"):
            track.rank = descriptor.sibling_order_rank
        if descriptor.HasField("counter"):
            counter = descriptor.counter
            kind = counter.type if 0 <= counter.type < len(_BUILT_IN) else 0
            unit = text(counter.unit_name) or (_UNITS[counter.unit] if 0 <= counter.unit < len(_UNITS) else "")
            track.counter = CounterTrack(
                "ns" if kind == _TIME_NS else unit, counter.unit_multiplier or 1, counter.is_incremental
            )
            track.name = track.name or _BUILT_IN[kind]

    def counter(self, uuid: int) -> CounterTrack | None:
        """The counter of a track; None if it has none."""
        track = self._tracks.get(uuid)
        return None if track is None else track.counter

    def place(self, uuid: int) -> TrackPlace:
        """The place of a track's events, the same one from its first event on."""
        place = self._used.get(uuid)
        if place is None:
            place = self._used[uuid] = self._find(uuid)
        if uuid and uuid not in self._tracks:
            self.undescribed += 1
        return place

    def names(self) -> Iterator[Event]:
        """Names of processes, threads and lanes. What is said at the end of a trace counts as well."""
        for uuid, place in self._used.items():
            track = self._tracks.get(uuid, _Track())
            if place.tid is None or place.name:
                continue
            name = track.thread_name if track.tid is not None else self._path(uuid)
            if name:
                yield metadata("thread_name", place.pid, place.tid, name)
            if track.rank is not None:
                order = {"sort_index": track.rank}
                yield {"ph": "M", "name": "thread_sort_index", "pid": place.pid, "tid": place.tid, "args": order}
        for track in self._tracks.values():
            if track.pid is not None and track.process_name:
                yield metadata("process_name", track.pid, None, track.process_name)
            if track.pid is not None and track.tid is not None and track.thread_name:
                yield metadata("thread_name", track.pid, track.tid, track.thread_name)

    def _find(self, uuid: int) -> TrackPlace:
        track = self._tracks.get(uuid, _Track())
        pid: Identity = GLOBAL
        for ancestor in self._ancestors(uuid):
            if ancestor.pid is not None:
                pid = ancestor.pid
                break
        if track.counter is not None:
            return TrackPlace(pid, None, self._path(uuid) or f"counter {uuid}")
        if track.tid is not None:
            return TrackPlace(pid, track.tid)
        if track.pid is not None and not track.name:
            return TrackPlace(pid, "process")
        return TrackPlace(pid, f"{self._path(uuid) or 'track'} #{uuid}" if uuid else "events")

    def _path(self, uuid: int) -> str:
        """Names from below the process down to a track; the thread's for its lanes."""
        names: list[str] = []
        for ancestor in self._ancestors(uuid):
            if ancestor.tid is not None:
                names.append(ancestor.thread_name or f"Thread {ancestor.tid}")
                break
            if ancestor.pid is not None and names:
                break
            if ancestor.name:
                names.append(ancestor.name)
        return " › ".join(reversed(names))

    def _ancestors(self, uuid: int) -> Iterator[_Track]:
        """A track, and those around it from the inside out."""
        for _ in range(_MOST_PARENTS):
            track = self._tracks.get(uuid)
            if track is None:
                return
            yield track
            if track.parent in (0, uuid):
                return
            uuid = track.parent
