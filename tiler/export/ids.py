"""Pids and tids of the written file: those of the trace-event files that a run was made of, where they are apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from tilescope.tiler.columns import Identity
from tilescope.tiler.export.event_text import value_text
from tilescope.tiler.export.lanes import MAX_LANES
from tilescope.tiler.query import TrackTree
from tilescope.tiler.records.origins import Origins

# Threads of lanes have ids beyond those of tracks, of which each has room for its own.
_LANES_FROM: Final = 1 << 24

_GROUPS: Final = -1  # in place of a file: of formats that have no pids, groups are processes

_Process = tuple[int, Identity]  # file and pid, or `_GROUPS` and group


class Ids:
    """Each file keeps its pids, but those that an earlier one has: these become numbers that no file has."""

    def __init__(self, tree: TrackTree, origins: Origins, file_of_tracks: list[int]) -> None:
        self._tree = tree
        self._origins = origins
        self._files = file_of_tracks
        self._pids = _apart(list(dict.fromkeys(self._processes())))

    def pid(self, file: int, pid: Identity) -> Identity:
        """That of a process of a file; the same where no event or label of the file has it."""
        return self._pids.get((file, pid), pid)

    def pid_of_track(self, track: int) -> Identity:
        """The pid of a track's events."""
        return self._pids[self._process(track)]

    def of_track(self, track: int, lane: int = 0) -> str:
        """Pid and tid of a track's events as text, with a comma in front; less where each event has its own."""
        return self._text(self.pid_of_track(track), self._tid(track, lane))

    def of_thread(self, file: int, pid: Identity, tid: Identity) -> str:
        """The same of a thread of a file, or of a process (`tid` is None)."""
        return self._text(self.pid(file, pid), tid)

    def of_group(self, group: int) -> str:
        """The same of a process that has no pid in its file."""
        return self._text(self._pids[_GROUPS, group], None)

    @property
    def unused_pid(self) -> int:
        """A number that is no pid of the file."""
        return _unused(self._pids.values())

    def _text(self, pid: Identity, tid: Identity) -> str:
        pid_text = "" if pid is None else f',"pid":{value_text(pid)}'
        return pid_text if tid is None else f'{pid_text},"tid":{value_text(tid)}'

    def _tid(self, track: int, lane: int) -> Identity:
        origin = self._origins.tracks[track]
        if origin is not None:
            return origin.tid
        return track + 1 if lane == 0 else _LANES_FROM + track * MAX_LANES + lane

    def _process(self, track: int) -> _Process:
        origin = self._origins.tracks[track]
        if origin is not None:
            return self._files[track], origin.pid
        return _GROUPS, self._tree.tracks[track].group

    def _processes(self) -> Iterator[_Process]:
        """All, with repetitions: those of the first file first."""
        tracks = [track for track, origin in enumerate(self._origins.tracks) if origin is not None]
        yield from (self._process(track) for track in sorted(tracks, key=self._files.__getitem__))
        for file, file_origins in enumerate(self._origins.files):
            yield from () if file_origins is None else ((file, label.pid) for label in file_origins.labels)
        yield from ((carrier.file, carrier.origin.pid) for carrier in self._origins.carriers)
        yield from ((_GROUPS, group.id) for group in self._tree.groups)


def _apart(processes: list[_Process]) -> dict[_Process, Identity]:
    wanted = [pid + 1 if file == _GROUPS and isinstance(pid, int) else pid for file, pid in processes]
    free = _unused(wanted)
    taken: set[str] = set()
    identities: dict[_Process, Identity] = {}
    for process, pid in zip(processes, wanted, strict=True):
        if str(pid) in taken:
            pid, free = free, free + 1
        taken.add(str(pid))
        identities[process] = pid
    return identities


def _unused(pids: Iterable[Identity]) -> int:
    """A number beyond all pids that are numbers, be it as text; what has more digits is none of 64 bits."""
    texts = (str(pid) for pid in pids)
    return 1 + max((int(text) for text in texts if text.isdecimal() and len(text) < 20), default=0)
