"""Archives that are served: found by their path, opened, and opened anew when the file is another one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.demo import DEMO_TRACE
from tests.tiler.store.archive.test_archive_opening import archive_of
from tilescope.server.errors import UnknownBuild
from tilescope.server.runs.cache import CacheDirectory
from tilescope.server.runs.open_stores import OpenStores
from tilescope.server.runs.sources import find_runs
from tilescope.tiler.errors import NoStore
from tilescope.tiler.indexing import build_store
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.store import open_store


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    build_store([DEMO_TRACE], tmp_path / "demo.store")
    return archive_of(tmp_path / "demo.store", tmp_path / "demo.tsarc")


@pytest.fixture
def stores() -> OpenStores:
    return OpenStores(open_store)


def archive_anew(archive: Path) -> None:
    """Takes the place of an archive with that of another build of its trace."""
    build_store([DEMO_TRACE], archive.with_suffix(".store"), force=True)
    archive_of(archive.with_suffix(".store"), archive.with_name("new.tsarc")).replace(archive)


def test_an_archive_is_a_run(archive: Path, tmp_path: Path) -> None:
    (run,) = find_runs([archive], CacheDirectory(tmp_path / "cache"), lambda _: ())
    assert (run.name, run.store, run.files) == ("demo.tsarc", archive, ())
    assert run.size_bytes == archive.stat().st_size
    assert run.modified_ns == archive.stat().st_mtime_ns


def test_an_archive_is_opened_once(archive: Path, stores: OpenStores) -> None:
    store = stores.current(archive)
    assert stores.current_build(archive) == store.build
    assert stores.build(archive, store.build) is store
    assert stores.current_manifest(archive).events.total == 5673
    assert stores.current_extent(archive) is not None
    with stores.lease(archive, store.build) as leased:
        assert leased is store
    with pytest.raises(UnknownBuild):
        stores.build(archive, "77")
    assert stores.opener(is_growing=False)(archive, store.build).get(TRACKS) == store.get(TRACKS)
    stores.close()


def test_one_that_is_replaced_is_seen_and_the_old_one_stays(archive: Path, stores: OpenStores) -> None:
    old = stores.current(archive)
    archive_anew(archive)
    assert stores.current_build(archive) != old.build
    assert stores.build(archive, old.build) is old
    assert old.get(TRACKS)
    with pytest.raises(NoStore, match=f"there is no build {old.build} any more"):
        stores.opener(is_growing=False)(archive, old.build)
    stores.close()


def test_one_that_was_touched_is_opened_anew(archive: Path, stores: OpenStores) -> None:
    old = stores.current(archive)
    os.utime(archive, (1, 1))
    new = stores.current(archive)
    assert new is not old
    assert stores.build(archive, old.build) is new
    assert new.get(TRACKS)
    archive.unlink()
    with pytest.raises(NoStore):
        stores.current(archive)
    stores.close()
