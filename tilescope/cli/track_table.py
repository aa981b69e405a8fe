"""The track tree summed up: one row per process."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tilescope.tiler.count_text import count_text
from tilescope.tiler.duration_text import duration_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tilescope.tiler.schema import TreeGroup, TreeTrack


@dataclass(frozen=True, slots=True)
class ProcessRow:
    """Numbers as texts, ready to be shown."""

    name: str
    tracks: str
    events: str
    busy: str  # summed over the tracks, so it may exceed the length of the trace


def process_rows(groups: Sequence[TreeGroup], tracks: Sequence[TreeTrack], tick_ps: int) -> list[ProcessRow]:
    """Rows of a track tree, in screen order. Rollup tracks repeat what others hold: left out."""
    hosts = [group for group in groups if group.kind == "host"]
    names = {group.id: group.name for group in groups}
    of_group: defaultdict[int, list[TreeTrack]] = defaultdict(list)
    for track in tracks:
        if track.kind != "rollup":
            of_group[track.group].append(track)
    rows = []
    for group in groups:
        if group.kind != "process":
            continue
        own = of_group[group.id]
        prefix = f"{names[group.parent]} › " if len(hosts) > 1 and group.parent is not None else ""
        rows.append(
            ProcessRow(
                prefix + group.name,
                count_text(len(own)),
                count_text(sum(track.events for track in own)),
                duration_text(sum(track.busy for track in own), tick_ps),
            )
        )
    return rows
