"""A folder of shards is a run of the server, and another build when a shard is added."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from tests.pods import threads, write_pod
from tilescope.server.runs.cache import CacheDirectory
from tilescope.server.runs.open_stores import OpenStores
from tilescope.server.runs.sources import find_runs
from tilescope.tiler.mount import open_run
from tilescope.tiler.shards.build import build_shards


def build(files: list[Path], folder: Path) -> None:
    build_shards(files, folder, threads, progress=lambda _: None)


def test_a_folder_of_shards_is_one_run(tmp_path: Path) -> None:
    files = write_pod(tmp_path / "pod", hosts=3, events=500)
    build(files, tmp_path / "run")
    (run,) = find_runs([tmp_path / "run"], CacheDirectory(tmp_path / "cache"), lambda _: [])
    assert (run.name, run.store) == ("run", tmp_path / "run")
    with closing(OpenStores(open_run)) as stores:
        first = stores.current_build(tmp_path / "run")
        assert stores.current_manifest(tmp_path / "run").hosts == ["synthetic", "synthetic (2)", "synthetic (3)"]
        assert stores.opener(is_growing=False)(tmp_path / "run", first).build == first
        build(files[:2], tmp_path / "run")
        assert stores.current_build(tmp_path / "run") != first
        assert stores.current_manifest(tmp_path / "run").hosts == ["synthetic", "synthetic (2)"]
