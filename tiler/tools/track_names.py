"""Names of tracks side by side: one that several have stands behind their processes, and these behind their hosts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from tilescope.tiler.query import TrackTree


def track_names(tree: TrackTree, tracks: Sequence[int]) -> Mapping[int, str]:
    """The name of each track, with as many of the groups around it as tell it from the others."""
    names = {track: tree.tracks[track].name for track in tracks}
    around: dict[int, int | None] = {track: tree.tracks[track].group for track in tracks}
    while True:
        counts = Counter(names.values())
        alike = [track for track, name in names.items() if counts[name] > 1 and around[track] is not None]
        if not alike:
            return names
        for track in alike:
            group = around[track]
            assert group is not None
            names[track] = f"{tree.groups[group].name} › {names[track]}"
            around[track] = tree.groups[group].parent
