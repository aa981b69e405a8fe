"""Metadata events of the written file: what its processes and threads are called, and their order."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from tilescope.tiler.columns import Label
from tilescope.tiler.export.event_text import quoted, value_text
from tilescope.tiler.export.hosts import Hosts
from tilescope.tiler.export.ids import Ids
from tilescope.tiler.query import TrackTree
from tilescope.tiler.records.origins import Origins


class Labels:
    """Labels of processes and threads: of trace-event files their own, else names of groups and tracks on screen."""

    def __init__(
        self, tree: TrackTree, origins: Origins, ids: Ids, hosts: Hosts, file_of_tracks: Sequence[int]
    ) -> None:
        self._tree = tree
        self._origins = origins
        self._ids = ids
        self._hosts = hosts
        self._files = file_of_tracks

    def of_files(self, tracks: Collection[int] | None) -> Iterator[str]:
        """Labels of trace-event files: of the processes and threads of these tracks, or all (None)."""
        used = None if tracks is None else set(self._used(tracks))
        several = len(self._origins.files) > 1
        for file, origin in enumerate(self._origins.files):
            for label in () if origin is None else origin.labels:
                is_moved = several and label.what == "process_sort_index"  # the processes of a file stay together
                if not is_moved and (used is None or (file, label.pid, label.tid) in used):
                    yield self._of_file(file, label)
        if several:
            yield from self._sort_indices(tracks)

    def of_tracks(self, tracks: Sequence[int]) -> Iterator[str]:
        """Labels of tracks of other formats, in the order of the screen."""
        groups: set[int] = set()
        for track in tracks:
            if self._origins.tracks[track] is not None:
                continue
            group = self._tree.tracks[track].group
            if group not in groups:
                groups.add(group)
                ids = self._ids.of_group(group)
                yield _event("process_name", ids, f'"name":{quoted(self._process_name(group))}')
                yield _event("process_sort_index", ids, f'"sort_index":{group}')
            if self._tree.tracks[track].kind in ("slice", "instant"):
                yield from self.of_lane(track, 0)

    def of_lane(self, track: int, lane: int) -> Iterator[str]:
        """Labels of one thread: the lanes of a track have its name, and follow one another."""
        ids = self._ids.of_track(track, lane)
        yield _event("thread_name", ids, f'"name":{quoted(self._tree.tracks[track].name)}')
        yield _event("thread_sort_index", ids, f'"sort_index":{track + 1}')

    def _of_file(self, file: int, label: Label) -> str:
        value = label.value
        if label.what == "process_name" and (host := self._hosts.of_process(file, label.pid)):
            value = f"{host} {value}"
        key = {"process_labels": "labels"}.get(label.what, "sort_index" if isinstance(value, int) else "name")
        return _event(label.what, self._ids.of_thread(file, label.pid, label.tid), f'"{key}":{value_text(value)}')

    def _sort_indices(self, tracks: Collection[int] | None) -> Iterator[str]:
        seen: set[str] = set()
        for track in range(len(self._tree.tracks)) if tracks is None else tracks:
            origin = self._origins.tracks[track]
            if origin is not None:
                ids = self._ids.of_thread(self._files[track], origin.pid, None)
                if ids and ids not in seen:
                    seen.add(ids)
                    yield _event("process_sort_index", ids, f'"sort_index":{self._tree.tracks[track].group}')

    def _used(self, tracks: Collection[int]) -> Iterator[tuple[int, object, object]]:
        for track in tracks:
            origin = self._origins.tracks[track]
            if origin is not None:
                yield self._files[track], origin.pid, None
                yield self._files[track], origin.pid, origin.tid

    def _process_name(self, group: int) -> str:
        entry = self._tree.groups[group]
        host = self._hosts.of_group(group) if entry.kind == "process" else ""
        return f"{host} {entry.name}" if host else entry.name


def _event(what: str, ids: str, args: str) -> str:
    return f'{{"ph":"M","name":"{what}"{ids},"args":{{{args}}}}}'
