"""The track tree of a mounted run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from tilescope.tiler.count_text import plural
from tilescope.tiler.mount.bases import Bases
from tilescope.tiler.mount.missing_shard import MissingShard
from tilescope.tiler.mount.mounted import Mounted
from tilescope.tiler.mount.shard_records import ShardRecords
from tilescope.tiler.store.clocks import is_rank

_RUN: Final = 0  # group

# A track that no group names: between two shards, and of one that is missing.
_VACANT: Final = {"group": _RUN, "kind": "rollup", "name": "", "detail": "", "rows": 0, "events": "0"}


def merged_tree(mounted: Mounted) -> dict[str, Any]:
    """Groups and tracks of all shards below one group, the run."""
    all_hosts = [host for place in mounted.places for host in place.hosts]
    nouns = ("rank", "ranks") if all_hosts and all(map(is_rank, all_hosts)) else ("host", "hosts")
    title = plural(len(all_hosts), *nouns)
    groups = [{"id": _RUN, "parent": None, "kind": "run", "name": title, "detail": "", "rollup": None}]
    tracks = [dict(_VACANT, id=track) for track in range(mounted.tracks)]
    for place in mounted.places:
        shard, bases, hosts = place.shard, place.bases, place.hosts
        if isinstance(shard, MissingShard):
            groups += _missing(shard, bases, hosts)
            continue
        groups += _groups(shard, bases, hosts)
        for track in shard.tree["tracks"]:
            name = track["name"]
            if track["kind"] == "rollup":
                name = rollup_name(shard, hosts, track["id"], name)
            number = track["id"] + bases.track
            tracks[number] = {**track, "id": number, "group": track["group"] + bases.group, "name": name}
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


def _missing(shard: MissingShard, bases: Bases, hosts: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Groups without tracks in the place of a shard."""
    for number, host in enumerate(hosts, bases.group):
        yield {
            "id": number,
            "parent": _RUN,
            "kind": "host",
            "name": host,
            "detail": "",
            "rollup": None,
            "missing": shard.reason,
        }
