"""Mounting of a run of shards: by what is kept of all of them, or from each of them anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from tilescope.tiler.errors import DamagedStore, StoreError
from tilescope.tiler.lookup.sources import axis_of
from tilescope.tiler.mount.in_time import InTime
from tilescope.tiler.mount.kept_merge import KeptMerge, open_merge, write_merge
from tilescope.tiler.mount.merged_records import MergedRecords
from tilescope.tiler.mount.missing_shard import MissingShard
from tilescope.tiler.mount.mounted import Mounted
from tilescope.tiler.mount.mounted_store import MountedStore
from tilescope.tiler.mount.shard_place import ShardPlace, read_places
from tilescope.tiler.mount.shard_records import ShardRecords
from tilescope.tiler.mount.shard_store import ShardHandles, ShardStore
from tilescope.tiler.shards.folder import shard_path
from tilescope.tiler.shards.sharded_run import Shard, ShardedRun
from tilescope.tiler.store.generation import current
from tilescope.tiler.store.generation_lock import DATA_FILE

# For the disk on which shards lie. All who open a run wait as long: the reasons for which shards are missing, this
# number among them, are part of the id of its build, by which other processes open it again.
WAIT_SECONDS: Final = 20.0


def mount(path: Path, run: ShardedRun, wait_seconds: float = WAIT_SECONDS) -> MountedStore:
    """The run of shards at `path`. Raises StoreError where no shard can be read."""
    kept = open_merge(path)
    if kept is not None:
        if _is_of(kept, run) and _are_as_kept(path, kept, wait_seconds):
            handles = ShardHandles()
            readers = {
                place.name: ShardStore(shard_path(path, place.name), place.build, handles) for place in kept.present
            }
            return MountedStore(str(path), kept.store, kept.places, readers, handles)
        kept.store.close()
    return merge_anew(path, run, {place.name: place for place in kept.places} if kept else None, wait_seconds)[0]


def keep_merge(path: Path, run: ShardedRun) -> None:
    """Keeps what a run has once, so that opening it opens no shard. Waits for all of them. Raises StoreError."""
    store, merged = merge_anew(path, run, wait_seconds=None)
    try:
        write_merge(path, merged)
    finally:
        store.close()


def merge_anew(
    path: Path,
    run: ShardedRun,
    places: Mapping[str, ShardPlace] | None = None,
    wait_seconds: float | None = WAIT_SECONDS,
) -> tuple[MountedStore, MergedRecords]:
    """The run, merged of all shards that can be read within so many seconds; None: however long it takes.

    `places`: those that shards had before.

    Raises StoreError where none can.
    """
    handles, places = ShardHandles(), places or {}
    try:
        read = InTime(partial(_read, path, run.axis, handles, places), run.shards, wait_seconds)
        late = f"it could not be opened within {wait_seconds or 0:g} s"
        shards = [read.results.get(number) or _missing(shard, places, late) for number, shard in enumerate(run.shards)]
        mounted = Mounted.from_shards(_on_one_grid(shards))
        if len(mounted.missing()) == len(shards):
            first = f": {mounted.missing()[0].line}" if shards else ""
            raise StoreError(f"{path}: no shard of the run can be read{first}")
        merged = MergedRecords(str(path), mounted, run)
        readers = {shard.name: shard.store for shard, _, _ in mounted.present()}
        places_now = read_places(merged.internals())
        return MountedStore(str(path), merged, places_now, readers, handles, read.is_late_done), merged
    except BaseException:
        handles.close()
        raise


def _read(
    path: Path, axis: str, handles: ShardHandles, places: Mapping[str, ShardPlace], shard: Shard
) -> ShardRecords | MissingShard:
    """A shard, decoded, or what is said of it where it cannot be read."""
    if shard.state == "failed":
        return _missing(shard, places, shard.error)
    try:
        store = ShardStore.published(shard_path(path, shard.name), handles)
        if axis_of(store) != (shard.axis or axis):
            raise DamagedStore(f"{store.location}: is of another time axis than the run")
        return ShardRecords.read(shard, store)
    except StoreError as error:
        return _missing(shard, places, str(error))


def _on_one_grid(shards: Sequence[ShardRecords | MissingShard]) -> list[ShardRecords | MissingShard]:
    """The shards, without those whose tiles are not those of the others: only a damaged `run.json` names such."""
    present = [shard for shard in shards if isinstance(shard, ShardRecords)]
    leading = min(present, key=lambda shard: shard.own is not None, default=None)
    if leading is None:
        return list(shards)
    reason = "its ticks or tiles are not those of the run (index it again with --force)"
    return [
        MissingShard(shard.name, shard.title, shard.names, int(shard.public["blocks"]), reason)
        if isinstance(shard, ShardRecords) and _grid(shard) != _grid(leading)
        else shard
        for shard in shards
    ]


def _grid(shard: ShardRecords) -> tuple[int, int]:
    return shard.public["tick_ps"], shard.public["root_level"]


def _missing(shard: Shard, places: Mapping[str, ShardPlace], reason: str) -> MissingShard:
    place = places.get(shard.name)
    hosts, blocks = ([], 0) if place is None else (place.hosts, place.blocks)
    return MissingShard(shard.name, shard.title, hosts, blocks, reason)


def _is_of(kept: KeptMerge, run: ShardedRun) -> bool:
    """True if what is kept is of these shards, in the state that they are in."""
    builds = {place.name: place.build for place in kept.places}
    wanted = {shard.name: "" if shard.state == "failed" else shard.build for shard in run.shards}
    return kept.store.internals().get("run") == run.id and builds == wanted


def _are_as_kept(path: Path, kept: KeptMerge, wait_seconds: float) -> bool:
    """True if all shards are published as they were. False where their disk does not say so in time."""
    checks = InTime(partial(_is_as_kept, path), kept.present, wait_seconds).results
    return len(checks) == len(kept.present) and all(checks.values())


def _is_as_kept(path: Path, place: ShardPlace) -> bool:
    """True if the shard is published as it was when the run was merged. Its content is looked at when it is read."""
    try:
        folder = current(shard_path(path, place.name))
        return folder.name == f"gen-{place.build}" and (folder / DATA_FILE).stat().st_size == place.store_bytes
    except (OSError, StoreError):
        return False
