"""Tracks by the names that lead to them: two runs have other numbers for the same thread or device."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from tilescope.tiler.query import TrackTree
from tilescope.tiler.tools.compare.normalised import Match, matched
from tilescope.tiler.tools.compare.sums import Key, SummedTracks

# Each part reads histograms by itself, which takes 0.3 ms of a whole run and longer of steps.
_MOST_TRACKS: Final = 256
_MOST_PROCESSES: Final = 64


def path_text(path: Key) -> str:
    """A path as people read it: "python › thread 7"."""
    return " › ".join(path)


class TrackPaths:
    """Paths of the tracks and groups of one run, as they are compared with those of others."""

    def __init__(self, tree: TrackTree, match: Match, *, has_hosts: bool) -> None:
        """Hosts are in no path where each run has one: it may well have another name there."""
        self._tree = tree
        self._match: Match = match
        self._skipped = {"run"} if has_hosts else {"run", "host"}

    def group(self, group: int | None) -> Key:
        """The path of a process or a host, from the outermost name to its own."""
        names: list[str] = []
        while group is not None and group >= 0:
            entry = self._tree.groups[group]
            if entry.kind not in self._skipped:
                names.append(matched(entry.name, self._match))
            group = entry.parent
        return tuple(reversed(names))

    def track(self, track: int) -> Key:
        """The path of a track: that of its process, and its name."""
        entry = self._tree.tracks[track]
        return (*self.group(entry.group), matched(entry.name, self._match))

    def by_path(self, tracks: Sequence[int]) -> dict[Key, int]:
        """The first of some tracks for each path, those of their processes too."""
        first: dict[Key, int] = {}
        for track in tracks:
            first.setdefault(self.track(track), track)
            first.setdefault(self.group(self._tree.tracks[track].group), track)
        return first

    def above(self, track: int, kind: str) -> int:
        """The group of a kind around a track; -1: there is none."""
        group: int | None = self._tree.tracks[track].group
        while group is not None and self._tree.groups[group].kind != kind:
            group = self._tree.groups[group].parent
        return -1 if group is None else group

    def with_paths(self, paths: Collection[Key], tracks: Sequence[int]) -> list[int]:
        """Some tracks, without those that have none of these paths."""
        return [track for track in tracks if self.track(track) in paths]

    def parts(self, tracks: Sequence[int]) -> list[SummedTracks]:
        """Some tracks one by one; by their processes, or all in one, where these would be too many."""
        if len(tracks) <= _MOST_TRACKS:
            return [SummedTracks(self.track(track), [track]) for track in tracks]
        by_process: dict[int, list[int]] = {}
        for track in tracks:
            by_process.setdefault(self._tree.tracks[track].group, []).append(track)
        if len(by_process) > _MOST_PROCESSES:
            return [SummedTracks((), tracks)]
        return [SummedTracks(self.group(process), of_process) for process, of_process in by_process.items()]
