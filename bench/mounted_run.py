"""Opening of a run of many shards: time and memory until manifest, track tree and overview are there.

A few small hosts are indexed, and their stores linked under as many names as the run is to have shards:

    python -m bench.mounted_run --shards 1024
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from msgspec import structs

from tilescope.tiler.mount import keep_merge, open_run
from tilescope.tiler.records.overview import OVERVIEW
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.shards.build import build_shards
from tilescope.tiler.shards.folder import shard_path
from tilescope.tiler.shards.sharded_run import make_sharded_run, write_sharded_run
from tilescope.tiler.synth import write_synthetic_trace

_HOSTS: Final = 4


def main() -> None:
    """Makes the run, opens it, and prints what that took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shards", type=int, default=1024)
    parser.add_argument("--tracks", type=int, default=40, help="of each shard")
    parser.add_argument("--events", type=int, default=2000, help="of each shard")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = write_run(Path(place), args.shards, args.tracks, args.events)
        measure(folder)


def write_run(place: Path, shards: int, tracks: int, events: int) -> Path:
    """A run of so many shards in a folder below `place`."""
    files = [place / f"host{host}.xplane.pb" for host in range(_HOSTS)]
    for seed, file in enumerate(files):
        write_synthetic_trace(file, format="xspace", events=events, tracks=tracks, seed=seed)
    return linked_run(place / "run", files, shards)


def linked_run(folder: Path, files: Sequence[Path], shards: int) -> Path:
    """A run of so many shards: each file is indexed once, and its store linked under further names."""
    run = build_shards(files, folder, threads, progress=lambda _: None)
    linked = list(run.shards)
    for number in range(len(files), shards):
        shard = structs.replace(run.shards[number % len(files)], name=f"{number:016x}")
        store = shard_path(folder, run.shards[number % len(files)].name)
        shutil.copytree(store, shard_path(folder, shard.name), copy_function=os.link)
        linked.append(shard)
    run = make_sharded_run(run.axis, linked, [])
    write_sharded_run(folder, run)
    clock = _Clock()
    keep_merge(folder, run)
    clock.say("merged")
    return folder


@contextmanager
def threads() -> Iterator[ThreadPoolExecutor]:
    """An executor of this process."""
    with ThreadPoolExecutor(1) as executor:
        yield executor


def measure(folder: Path) -> None:
    """Opens the run step by step."""
    clock = _Clock()
    store = open_run(folder)
    clock.say("opened")
    manifest = store.manifest()
    clock.say("manifest")
    tree = store.get(TRACKS)
    clock.say("track tree")
    pages = [store.get(OVERVIEW, page) for page in range(manifest["overview"]["pages"])]
    clock.say("overview")
    sizes = f"tree {len(tree or b''):,} bytes, overview {sum(len(page or b'') for page in pages):,} bytes"
    print(f"{manifest['tracks']:,} tracks of {len(manifest['hosts']):,} hosts, {sizes}")
    peak_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"{peak_kib * 1024 / 1e6:.0f} MB at most, {len(list(Path('/proc/self/fd').iterdir()))} open files")
    store.close()


class _Clock:
    """Prints the time since the line before."""

    def __init__(self) -> None:
        self._wall, self._cpu = time.monotonic(), time.process_time()

    def say(self, what: str) -> None:
        wall, cpu = time.monotonic(), time.process_time()
        print(f"{what:12} {wall - self._wall:6.2f} s, processor {cpu - self._cpu:6.2f} s")
        self._wall, self._cpu = wall, cpu


if __name__ == "__main__":
    main()
