"""Hosts of the written processes, where a run has several: other viewers see them in names, Tilescope in a member."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from tilescope.tiler.columns import Identity
from tilescope.tiler.export.ids import Ids
from tilescope.tiler.natural_order import natural_key
from tilescope.tiler.query import TrackTree
from tilescope.tiler.records.origins import Origins

_FEWEST: Final = 2  # a single host is that of the whole file


class Hosts:
    """Names of hosts of processes; empty where the run has one host, or the process none."""

    def __init__(self, tree: TrackTree, origins: Origins, ids: Ids, file_of_tracks: Sequence[int]) -> None:
        self._tree = tree
        self.are_several = sum(group.kind == "host" for group in tree.groups) >= _FEWEST
        self._by_pid: dict[str, str] = {}  # as it is written
        self._by_process: dict[tuple[int, Identity], str] = {}
        hosts_by_file: dict[int, set[str]] = {}
        for track, origin in enumerate(origins.tracks) if self.are_several else ():
            host = self.of_group(tree.tracks[track].group)
            if tree.tracks[track].kind == "rollup" or not host:
                continue
            file = file_of_tracks[track]
            self._by_pid.setdefault(_text(ids.pid_of_track(track)), host)
            hosts_by_file.setdefault(file, set()).add(host)
            if origin is not None:
                self._by_process.setdefault((file, origin.pid), host)
        self._by_file = {file: hosts.pop() for file, hosts in hosts_by_file.items() if len(hosts) == 1}
        for file, file_origin in enumerate(origins.files):
            for label in () if file_origin is None else file_origin.labels:
                if host := self.of_process(file, label.pid):
                    self._by_pid.setdefault(_text(ids.pid(file, label.pid)), host)

    def of_group(self, group: int) -> str:
        """The host of a process by its group."""
        parent = self._tree.groups[group].parent
        return "" if parent is None or not self.are_several else self._tree.groups[parent].name

    def of_process(self, file: int, pid: Identity) -> str:
        """The host of a process of a trace-event file; of one without events that of its file."""
        return self._by_process.get((file, pid)) or self._by_file.get(file, "")

    def member(self) -> bytes:
        """The value of the member: hosts by pid."""
        pids = sorted(self._by_pid, key=natural_key)
        return json.dumps({pid: self._by_pid[pid] for pid in pids}, separators=(",", ":")).encode()


def _text(pid: Identity) -> str:
    return "" if pid is None else str(pid)
