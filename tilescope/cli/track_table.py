"""The track tree summed up: one row per process."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from tilescope.cli.text import count_text
from tilescope.tiler.duration_text import duration_text


@dataclass(frozen=True, slots=True)
class ProcessRow:
    """Numbers as texts, ready to be shown."""

    name: str
    tracks: str
    events: str
    busy: str  # summed over the tracks, so it may exceed the length of the trace


def process_rows(tree: dict[str, Any], tick_ps: int) -> list[ProcessRow]:
    """Rows of the track tree of docs/api.md, in screen order. Rollup tracks repeat what others hold: left out."""
    tracks = [track for track in tree["tracks"] if track["kind"] != "rollup"]
    hosts = [group for group in tree["groups"] if group["kind"] == "host"]
    names = {group["id"]: group["name"] for group in tree["groups"]}
    of_group: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    for track in tracks:
        of_group[track["group"]].append(track)
    rows = []
    for group in tree["groups"]:
        if group["kind"] != "process":
            continue
        own = of_group[group["id"]]
        busy = sum(int(track.get("busy", 0)) for track in own)
        prefix = f"{names[group['parent']]} › " if len(hosts) > 1 else ""
        rows.append(
            ProcessRow(
                prefix + group["name"],
                count_text(len(own)),
                count_text(sum(int(track["events"]) for track in own)),
                duration_text(busy, tick_ps),
            )
        )
    return rows
