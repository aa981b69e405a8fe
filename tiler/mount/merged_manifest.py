"""The manifest of a mounted run: sums over shards, and what is made anew where sums would not be exact."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, Final

from msgspec import to_builtins

from tilescope.tiler.mount.counted_warnings import counted_warnings
from tilescope.tiler.mount.merged_tree import rollup_name
from tilescope.tiler.mount.missing_shard import MissingShard
from tilescope.tiler.mount.mounted import Mounted
from tilescope.tiler.mount.run_families import run_families
from tilescope.tiler.mount.shard_place import places_of
from tilescope.tiler.records.overview import OverviewGrid
from tilescope.tiler.schema import ClockShift
from tilescope.tiler.shards.sharded_run import ShardedRun
from tilescope.tiler.store.version import STORE_VERSION

# Members that all shards have in common.
_SHARED: Final = ("tick_ps", "start", "root_level")

_VACANT: Final = {
    "kind": "rollup",
    "file": -1,
    "name": "",
    "events": 0,
    "busy": "0",
    "fingerprint": "0" * 16,
    "rows": 0,
}


def merged_internals(mounted: Mounted, run: ShardedRun) -> dict[str, Any]:
    """The manifest as a store would keep it."""
    tracks = [_VACANT] * mounted.tracks
    files: list[dict[str, Any]] = []
    sources: list[dict[str, Any]] = []
    for shard, bases, hosts in mounted.present():
        for number, track in enumerate(shard.internals["tracks"]):
            file, name = track["file"], track["name"]
            if track["kind"] == "rollup":
                name = rollup_name(shard, hosts, number, name)
            moved = {**track, "file": file if file < 0 else file + bases.file, "name": name}
            if "children" in track:
                moved["children"] = [child + bases.track for child in track["children"]]
            tracks[number + bases.track] = moved
        files += shard.internals["files"]
        sources += shard.internals["sources"]
    return {
        "version": STORE_VERSION,
        "public": _public(mounted, run.notes),
        "files": files,
        "sources": sources,
        "tracks": tracks,
        "run": run.id,
        "shards": to_builtins(places_of(mounted)),
    }


def _public(mounted: Mounted, notes: Sequence[str]) -> dict[str, Any]:
    publics = [shard.public for shard, _, _ in mounted.present()]
    first = next(shard for shard, _, _ in mounted.present())
    away_ns = 0 if first.own is None else int(first.own.away_ns)
    end = max(int(public["end"]) for public in publics)
    notes = [*(shard.line for shard in mounted.missing()), *notes]
    blocks = (f"{place.bases.block}" for place in mounted.places)  # a missing shard keeps its numbers, where known
    parts = [*(public["build"] for public in publics), *blocks, *notes]
    builds = hashlib.sha256("\n".join(parts).encode(errors="surrogatepass")).hexdigest()
    warnings = counted_warnings(
        (shard.title, text) for shard, _, _ in mounted.present() for text in shard.public["warnings"]
    )
    has_outliers = any(public["outliers"] for public in publics)
    return {
        **{name: first.public[name] for name in _SHARED},
        "origin_ns": str(int(first.public["origin_ns"]) - away_ns),
        "end": str(end),
        "overview": to_builtins(OverviewGrid.of(end).told()),
        "build": builds[:24],
        "state": "ready",
        "revision": 0,
        "format": " + ".join(sorted({part for public in publics for part in public["format"].split(" + ")})),
        "empty": all(public["empty"] for public in publics),
        "hosts": list(chain.from_iterable(hosts for _, _, hosts in mounted.present())),
        "files": [file for public in publics for file in public["files"]],
        "processes": sum(public["processes"] for public in publics),
        "tracks": sum(public["tracks"] for public in publics),
        "blocks": mounted.stop.block,
        "names": max((public["names"] for public in publics), key=lambda names: int(names["count"])),
        "events": _summed(public["events"] for public in publics),
        "flows": _summed(public["flows"] for public in publics),
        "steps": _steps(mounted),
        "families": run_families(mounted),
        "outliers": _outliers(mounted) if has_outliers else None,
        "ignored": _summed(public["ignored"] for public in publics),
        "warnings": [*notes, *warnings, *([_OUTLIERS_APART] if has_outliers and len(publics) > 1 else [])],
        "source_bytes": str(sum(int(public["source_bytes"]) for public in publics)),
        "created_ns": str(max(int(public["created_ns"]) for public in publics)),
        **_missing(mounted),
        "shifts": to_builtins(_shifts(mounted, first.public["tick_ps"])),
    }


_OUTLIERS_APART: Final = "outliers are those of each file: it was not compared with the others what lies apart"


def _missing(mounted: Mounted) -> dict[str, Any]:
    """The member of the manifest that names what is missing."""
    missing = [
        {"name": host, "reason": place.shard.reason}
        for place in mounted.places
        if isinstance(place.shard, MissingShard)
        for host in place.hosts
    ]
    return {"missing": missing}


def _shifts(mounted: Mounted, tick_ps: int) -> list[ClockShift]:
    """The shift of each host of which ticks are not counted from the origin of the run."""
    return [
        ClockShift(host=host, shift=str(int(shard.own.shift_ps) // tick_ps), origin="own_axis")
        for shard, _, hosts in mounted.present()
        if shard.own is not None and shard.own.is_moved
        for host in hosts
    ]


def _summed(parts: Iterable[dict[str, str | None]]) -> dict[str, str | None]:
    """Sums of counts by name; a count that some part does not know is not known."""
    total: Counter[str] = Counter()
    unknown = set()
    for part in parts:
        for name, count in part.items():
            total[name] += int(count or 0)
            if count is None:
                unknown.add(name)
    return {name: None if name in unknown else str(count) for name, count in total.items()}


def _steps(mounted: Mounted) -> dict[str, Any] | None:
    """Counts of steps. The different numbers of a run are not the sum of those of its shards."""
    parts = [shard.public["steps"] for shard, _, _ in mounted.present() if shard.public["steps"] is not None]
    if not parts:
        return None
    numbers = frozenset[int]().union(*(shard.steps for shard, _, _ in mounted.present()))
    return {
        "count": str(len(numbers)),
        "first": str(min(int(part["first"]) for part in parts)),
        "last": str(max(int(part["last"]) for part in parts)),
        "slices": str(sum(int(part["slices"]) for part in parts)),
        "tracks": sum(part["tracks"] for part in parts),
        "all": all(part["all"] for part in parts),
    }


def _outliers(mounted: Mounted) -> dict[str, Any]:
    shards = [(shard, bases) for shard, bases, _ in mounted.present()]
    parts = [(shard.public["outliers"], bases) for shard, bases in shards if shard.public["outliers"]]
    # Of shards without outliers all events count.
    others = [shard for shard, _ in shards if not shard.public["outliers"]]
    tracks = [track for shard in others for track in shard.tree["tracks"] if "first" in track and "last" in track]
    counts = ("before", "after", "too_long", "overruns")
    return {
        "start": str(min([int(part["start"]) for part, _ in parts] + [int(track["first"]) for track in tracks])),
        "end": str(max([int(part["end"]) for part, _ in parts] + [int(track["last"]) for track in tracks])),
        **{name: str(sum(int(part[name]) for part, _ in parts)) for name in counts},
        "events": [
            {**event, "track": event["track"] + bases.track} for part, bases in parts for event in part["events"]
        ],
    }
