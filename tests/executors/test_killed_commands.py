"""Pods that are indexed by executors, whose command is killed ten times: they are the runs indexed in one piece.

TILESCOPE_KILLED_HOSTS=64 takes pods of 64 hosts in place of 8: a quarter of an hour for each.
"""

from __future__ import annotations

import hashlib
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
from msgspec import Struct, structs

from bench.pod_run import PodShape
from bench.pod_run import write_pod as write_pod_run
from tests.pods import write_pod
from tests.tiler.mount.placed_answers import answered_alike, places
from tilescope.tiler.indexing import build_store
from tilescope.tiler.lookup.tiles import decoded_page
from tilescope.tiler.mount import open_run
from tilescope.tiler.pages import TRACKS_PER_BLOCK, PageKey
from tilescope.tiler.query import QueryReader
from tilescope.tiler.records.tiles import PAGE
from tilescope.tiler.shards.sharded_run import read_sharded_run

pytestmark = [pytest.mark.deep, pytest.mark.skipif(sys.platform == "win32", reason="commands are killed by signals")]

KILLS: Final = 10
HOSTS: Final = int(os.environ.get("TILESCOPE_KILLED_HOSTS", "8"))
TRACKS: Final = 64
SECONDS: Final = 600  # of one command, on a machine with other work

# How a run is laid out and stored.
OF_THE_STORE: Final = frozenset({"build", "tracks", "blocks", "created_ns", "store_bytes"})


class Pod:
    """Traces of a pod, and the run of all of them in one piece."""

    def __init__(self, folder: Path, files: list[Path]) -> None:
        self.folder = folder
        self.files = files
        build_store(files, folder / "whole")
        self.whole = QueryReader(open_run(folder / "whole"))


@pytest.fixture(scope="module", params=["synthetic", "training"])
def pod(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pod]:
    folder = tmp_path_factory.mktemp(request.param)
    if request.param == "synthetic":
        files = write_pod(folder / "pod", HOSTS, events=1000, tracks=TRACKS)
    else:
        files = write_pod_run(folder / "pod", PodShape(hosts=HOSTS, steps=3)).files
    pod = Pod(folder, files)
    with closing(pod.whole.store):
        yield pod


@contextmanager
def dask_workers() -> Iterator[list[str]]:
    """Options for two workers of Dask, which outlive the commands that they work for."""
    distributed = pytest.importorskip("distributed", reason="Dask is not installed (make dev)")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, resources={"INDEX": 1}
    ) as cluster:
        yield ["--executor", cluster.scheduler_address.replace("tcp://", "dask://")]


@contextmanager
def own_processes() -> Iterator[list[str]]:
    """Options for two processes of each command."""
    yield ["--executor", "processes", "--jobs", "2"]


def done(run: Path) -> int:
    """Number of surveys and shards of a run that are there."""
    return len(list(run.glob("surveys/*.gz"))) + len(list(run.glob("shards/*/gen-*")))


def index_killed(command: list[str], run: Path, seed: int) -> None:
    """Runs the command ten times, and kills it each time in the midst of its work."""
    moments = random.Random(seed)
    for step in sorted(moments.sample(range(1, 2 * HOSTS - 4), KILLS)):
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        deadline = time.monotonic() + SECONDS
        while child.poll() is None and done(run) < step and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(moments.uniform(0, 0.05))
        child.send_signal(signal.SIGKILL)
        assert child.wait(SECONDS) == -signal.SIGKILL, "it ended by itself"


@pytest.mark.parametrize("executor", [own_processes, dask_workers], ids=["processes", "dask"])
def test_a_run_that_was_killed_ten_times_is_the_run_in_one_piece(pod: Pod, executor: Any) -> None:
    run = pod.folder / executor.__name__
    with executor() as options:
        index = ["index", *map(str, pod.files), "-o", str(run), *options]
        index_killed(tilescope(*index), run, seed=49)
        assert call(*index)
    assert not read_sharded_run(run).failed
    with closing(open_run(run)) as store:
        mounted = QueryReader(store)
        assert run_facts(mounted) == run_facts(pod.whole)
        assert tile_sums(mounted) == tile_sums(pod.whole)
        assert answered_alike(pod.whole, mounted, 3) > 60
    archive = run.with_suffix(".tsarc")
    call("archive", str(run), "-o", str(archive))
    assert call("verify", str(run))
    assert "entries are equal" in call("verify", str(run), "--same-as", str(archive))


def tilescope(*words: str) -> list[str]:
    return [sys.executable, "-m", "tilescope", *words]


def call(*words: str) -> str:
    """Output of a command of ours that must succeed."""
    ended = subprocess.run(tilescope(*words), capture_output=True, text=True, timeout=SECONDS, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout + ended.stderr


def run_facts(reader: QueryReader) -> dict[str, Any]:
    """Manifest of a run, and facts of each track with events but the summary of all hosts, by its place."""
    tracks = {
        f"{place} {track.detail}": (track.rows, track.events, track.busy, track.first, track.last, track.min, track.max)
        for track, place in zip(reader.tree.tracks, places(reader).values(), strict=True)
        if track.events and not is_of_all_hosts(reader, track.id)
    }
    manifest = reader.store.manifest()
    return {**{name: value for name, value in manifest.items() if name not in OF_THE_STORE}, "by track": tracks}


def is_of_all_hosts(reader: QueryReader, track: int) -> bool:
    return any(group.kind == "run" and group.rollup == track for group in reader.tree.groups)


def tile_sums(reader: QueryReader) -> dict[tuple[str, int, int], str]:
    """The contents of all tiles, by the place of their track, level and index."""
    named = places(reader)
    sums: dict[tuple[str, int, int], str] = {}
    for numbers, _ in reader.store.scan(PAGE):
        page = decoded_page(reader.store, PageKey(*numbers))
        for tile in page.tiles():
            track = numbers[0] * TRACKS_PER_BLOCK + tile.slot
            if is_of_all_hosts(reader, track):
                continue
            key = (f"{named[track]} {reader.tree.tracks[track].detail}", tile.level, tile.index)
            assert key not in sums
            sums[key] = content_sum(structs.replace(tile, slot=0))
    return sums


def content_sum(tile: Struct) -> str:
    """A checksum of all columns of a tile."""
    total = hashlib.sha256()
    left = [tile]
    for part in left:
        for value in structs.astuple(part):
            if isinstance(value, Struct):
                left.append(value)
            else:
                total.update(np.asarray(value).tobytes() if value is not None else b"-")
    return total.hexdigest()
