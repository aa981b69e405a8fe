"""Tracks by what they are called: a build with more files gives other numbers to the same tracks."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Final

from tilescope.tiler.pages import decompress
from tilescope.tiler.schema import TreeMembers

_DIGITS: Final = 16  # of a hash: names may be of any length


class LastingTracks:
    """The tracks of a build. The tree is read when it is first needed: most marks are about all tracks."""

    def __init__(self, load: Callable[[], bytes]) -> None:
        """`load`: the stored track tree, compressed."""
        self._load = load

    def name(self, track: int) -> str | None:
        """A short name that the same track has in other builds; None where there is no such track."""
        return self._names.get(track)

    def track(self, name: str) -> int | None:
        """The track of that name in this build."""
        return self._tracks.get(name)

    @cached_property
    def _names(self) -> Mapping[int, str]:
        tree = TreeMembers.decode(decompress(self._load()))
        groups = {group.id: group for group in tree.groups}
        paths: dict[int | None, list[Any]] = {None: []}

        def path(group: int | None) -> list[Any]:
            if group is not None and group not in paths:
                entry = groups[group]
                paths[group] = [*path(entry.parent), entry.kind, entry.name, entry.detail]
            return paths[group]

        seen: Counter[str] = Counter()
        names: dict[int, str] = {}
        for track in tree.tracks:
            text = json.dumps([*path(track.group), track.kind, track.name, track.detail])
            seen[text] += 1  # namesakes are told apart by their order
            digest = hashlib.sha256(f"{text}{seen[text]}".encode()).hexdigest()
            names[track.id] = digest[:_DIGITS]
        return names

    @cached_property
    def _tracks(self) -> Mapping[str, int]:
        return {name: track for track, name in self._names.items()}
