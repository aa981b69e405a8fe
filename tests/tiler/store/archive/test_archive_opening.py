"""Whatever lies at a path is opened as a store: a folder, or the file of an archive."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.tiler.json_traces import busy_events, write_trace
from tilescope.tiler.errors import DamagedStore, NoStore, StoreError
from tilescope.tiler.indexing import build_store
from tilescope.tiler.store import current_build_path, is_store, open_build, open_run_store, open_store, published_file
from tilescope.tiler.store.archive.writer import write_archive
from tilescope.tiler.verify import compare_stores, verify_store


def archive_of(store: Path, path: Path, **options: object) -> Path:
    run = open_run_store(store)
    with path.open("wb") as file:
        write_archive(run, file, **options)  # type: ignore[arg-type]
    run.close()
    return path


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    build_store([write_trace(folder / "trace.json", busy_events(4, calls=300))], folder / "store")
    return folder / "store"


@pytest.fixture(scope="module")
def archive(store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return archive_of(store, tmp_path_factory.mktemp("archive") / "run.tsarc")


def test_both_are_stores(store: Path, archive: Path, tmp_path: Path) -> None:
    assert is_store(store)
    assert is_store(archive)
    (tmp_path / "trace.json").write_text("[]")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder.tsarc").mkdir()
    for other in ("trace.json", "pipe", "folder.tsarc", "nothing"):
        assert not is_store(tmp_path / other)
        with pytest.raises(StoreError):
            open_store(tmp_path / other)


def test_both_hold_the_same(store: Path, archive: Path) -> None:
    folder, file = open_store(store), open_store(archive)
    assert list(folder.records()) == list(file.records())
    assert folder.build == file.build
    assert folder.internals() == file.internals()
    assert file.location == str(archive)
    manifest = file.manifest()
    assert manifest.pop("store_bytes") == str(archive.stat().st_size)
    assert {name: value for name, value in folder.manifest().items() if name != "store_bytes"} == manifest
    assert compare_stores(store, archive).entries == len(list(folder.records()))
    assert verify_store(archive) == verify_store(store)


def test_builds_are_opened_by_their_ids(store: Path, archive: Path) -> None:
    build = open_store(archive).build
    assert open_build(store, build).build == open_build(archive, build).build == build
    for path in (store, archive):
        assert current_build_path(path) == path / f"gen-{build}"
        with pytest.raises(NoStore, match="there is no build 77 any more"):
            open_build(path, "77")
    assert published_file(archive) == archive
    assert published_file(store) == store / "CURRENT"


def test_a_replaced_archive_is_read_on(store: Path, archive: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(archive, tmp_path / "run.tsarc"))
    before = open_store(path)
    archive_of(store, tmp_path / "new.tsarc", without=["arguments"]).replace(path)
    assert list(before.records()) == list(open_store(archive).records())
    assert len(open_store(path).manifest()["warnings"]) == len(before.manifest()["warnings"]) + 1


def test_an_archive_of_another_build_is_damaged(archive: Path, tmp_path: Path) -> None:
    data = bytearray(archive.read_bytes())
    path = tmp_path / "run.tsarc"
    path.write_bytes(data[:100])
    with pytest.raises(DamagedStore, match="cut short in its header"):
        open_store(path)
    with pytest.raises(DamagedStore, match="cut short in its header"):
        current_build_path(path)
    path.chmod(0)
    path.unlink()
    with pytest.raises(NoStore):
        open_store(path)
