"""The track tree, decoded: kinds, and which tracks a rollup sums."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tilescope.tiler.errors import UsageError
from tilescope.tiler.pages import TRACKS_PER_BLOCK, decompress
from tilescope.tiler.records.histogram import BUSY_LIMIT
from tilescope.tiler.schema import TrackKind, TreeGroup, TreeMembers, TreeTrack

# Kinds whose events have names and durations, and whose events rollups sum.
SLICE_KINDS = frozenset({"slice", "async", "instant"})

# Kinds that hold events themselves: all but rollups.
EVENT_KINDS = SLICE_KINDS | {"counter"}

Lists = defaultdict[int | None, list[int]]


def _lists() -> Lists:
    return defaultdict(list)


@dataclass(frozen=True, slots=True)
class TrackTree:
    """Groups and tracks by id, decoded."""

    groups: Sequence[TreeGroup]
    tracks: Sequence[TreeTrack]
    _naming: Lists = field(default_factory=_lists, init=False, repr=False)  # by rollup: groups that name it
    _parts: Lists = field(default_factory=_lists, init=False, repr=False)  # by group: groups in it
    _summed: Lists = field(default_factory=_lists, init=False, repr=False)  # by group: its tracks that rollups sum

    summed_in_blocks: dict[int, int] = field(default_factory=lambda: defaultdict(int), init=False, repr=False)
    """By block: how many of its tracks have histograms."""

    def __post_init__(self) -> None:
        for group in self.groups:
            self._naming[group.rollup].append(group.id)
            self._parts[group.parent].append(group.id)
        for track in self.tracks:
            if track.kind in SLICE_KINDS and track.events:
                self._summed[track.group].append(track.id)
                self.summed_in_blocks[track.id // TRACKS_PER_BLOCK] += track.busy < BUSY_LIMIT

    @classmethod
    def decode(cls, member: bytes) -> TrackTree:
        """From the stored gzip member. Raises ValueError where it is no track tree."""
        members = TreeMembers.decode(decompress(member))
        return cls(members.groups, members.tracks)

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> TrackTree:
        """From groups and tracks as docs/api.md has them. Raises ValueError where it is no track tree."""
        members = TreeMembers.from_json(tree)
        return cls(members.groups, members.tracks)

    def kind(self, track: int) -> TrackKind:
        """Kind of a track. Raises UsageError when there is none of that id."""
        if not 0 <= track < len(self.tracks):
            raise UsageError(f"track {track} does not exist: the run has {len(self.tracks)} tracks")
        return self.tracks[track].kind

    def leaves(self, tracks: Sequence[int] | None, kinds: frozenset[str] = SLICE_KINDS) -> list[int]:
        """The tracks that hold events, of those asked for or of all (None), each once, ascending.

        A rollup stands for the tracks that it sums. Tracks of other kinds are left out. Raises UsageError.
        """
        chosen = range(len(self.tracks)) if tracks is None else tracks
        leaves = set()
        for track in chosen:
            if self.kind(track) == "rollup":
                if tracks is not None:
                    leaves.update(self.children(track))
            else:
                leaves.add(track)
        return sorted(track for track in leaves if self.tracks[track].kind in kinds)

    def children(self, rollup: int) -> list[int]:
        """The tracks that a rollup sums, by id: those of slices with events, in the groups below those that name it."""
        groups = self._with_parts(self._naming.get(rollup, ()))
        return sorted(set().union(*(self._summed.get(group, ()) for group in groups)))

    def processes_of(self, track: int) -> list[str]:
        """The names of the processes that a track is of: of one, as a rule."""
        return self._groups_around(track, "process")

    def hosts_of(self, track: int) -> list[str]:
        """The names of the hosts that a track is of: of one, as a rule."""
        return self._groups_around(track, "host")

    def _groups_around(self, track: int, kind: str) -> list[str]:
        names = []
        group: int | None = self.tracks[track].group
        seen = set()
        while group is not None and group not in seen:
            seen.add(group)
            group_row = self.groups[group]
            if group_row.kind == kind:
                names.append(group_row.name)
            group = group_row.parent
        return names

    def of_host(self, name: str) -> list[int]:
        """All tracks of the host of that name, by id."""
        hosts = [group.id for group in self.groups if group.kind == "host" and group.name == name]
        groups = self._with_parts(hosts)
        return [track.id for track in self.tracks if track.group in groups]

    def _with_parts(self, groups: Iterable[int]) -> set[int]:
        """These groups, and those in them."""
        with_parts: set[int] = set()
        left = list(groups)
        while left:
            group = left.pop()
            if group not in with_parts:
                with_parts.add(group)
                left += self._parts.get(group, ())
        return with_parts
