"""The track tree of a mounted run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from tilescope.tiler.count_text import plural
from tilescope.tiler.mount.bases import Bases
from tilescope.tiler.mount.shard_records import ShardRecords
from tilescope.tiler.natural_order import natural_key
from tilescope.tiler.pages import TRACKS_PER_BLOCK

Mounted = Sequence[tuple[ShardRecords, Bases]]

_RUN: Final = 0  # group


def in_screen_order(shards: Sequence[ShardRecords]) -> list[ShardRecords]:
    """Shards in the order of their hosts; of one host in the order of the run."""
    return sorted(shards, key=lambda shard: natural_key((shard.public["hosts"] or [""])[0]))


def host_names(mounted: Mounted) -> list[list[str]]:
    """The hosts of each shard, of which several may have one name: those are told apart by numbers."""
    seen: Counter[str] = Counter()
    names: list[list[str]] = []
    for shard, _ in mounted:
        names.append([])
        for host in shard.public["hosts"]:
            seen[host] += 1
            names[-1].append(host if seen[host] == 1 else f"{host} ({seen[host]})")
    return names


def merged_tree(mounted: Mounted) -> dict[str, Any]:
    """Groups and tracks of all shards below one group, the run."""
    hosts = host_names(mounted)
    title = plural(sum(map(len, hosts)), "host", "hosts")
    groups = [{"id": _RUN, "parent": None, "kind": "run", "name": title, "detail": "", "rollup": None}]
    tracks: list[dict[str, Any]] = []
    for (shard, bases), names in zip(mounted, hosts, strict=True):
        groups += _groups(shard, bases, names)
        for track in shard.tree["tracks"]:
            name = track["name"]
            if track["kind"] == "rollup":
                name = rollup_name(shard, names, track["id"], name)
            moved = {"id": track["id"] + bases.track, "group": track["group"] + bases.group, "name": name}
            tracks.append({**track, **moved})
        tracks += _vacant(len(tracks), -len(tracks) % TRACKS_PER_BLOCK)
    return {"groups": groups, "tracks": tracks}


def rollup_name(shard: ShardRecords, hosts: Sequence[str], track: int, name: str) -> str:
    """The name of a track of a shard: of the rollup of a host that of the host."""
    own = [group for group in shard.tree["groups"] if group["kind"] == "host"]
    for group, host in zip(own, hosts, strict=True):
        if group["rollup"] == track and group["name"] == name:
            return host
    return name


def _groups(shard: ShardRecords, bases: Bases, hosts: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The groups of a shard. Where it has several hosts, the group around them stands for nothing any more."""
    own = {group["id"] for group in shard.tree["groups"] if group["kind"] == "run"}
    names = iter(hosts)
    for group in shard.tree["groups"]:
        parent, rollup, is_run = group["parent"], group["rollup"], group["id"] in own
        name = next(names, group["name"]) if group["kind"] == "host" else group["name"]
        yield {
            **group,
            "id": group["id"] + bases.group,
            "parent": _RUN if parent is None or parent in own else parent + bases.group,
            "kind": "host" if is_run else group["kind"],
            "name": name,
            "rollup": None if is_run or rollup is None else rollup + bases.track,
        }


def _vacant(first: int, count: int) -> Iterator[dict[str, Any]]:
    """Tracks that no group names, up to the next block."""
    for track in range(first, first + count):
        yield {"id": track, "group": _RUN, "kind": "rollup", "name": "", "detail": "", "rows": 0, "events": "0"}
