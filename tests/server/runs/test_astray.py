"""Symbolic links that lead out of what is served, or out of the cache: put there while the server runs."""

from __future__ import annotations

import logging
import shutil
from pathlib import Path

import pytest

from tests.demo import DEMO_TRACE
from tests.server.conftest import Site
from tests.server.fakes import discover_files
from tests.server.runs.test_marks import PLACES
from tilescope.server.errors import IndexingFailed
from tilescope.server.runs.cache import CacheDirectory
from tilescope.server.runs.job import IndexJob, run_job
from tilescope.server.runs.marks import MarkFiles
from tilescope.server.runs.registry import Registry
from tilescope.server.runs.sources import find_runs
from tilescope.server.runs.wishes import Wishes
from tilescope.tiler.errors import DamagedStore, StoreError, TraceError
from tilescope.tiler.readers.fingerprint import stamps_digest
from tilescope.tiler.schema import MarkList


def job_of(folder: Path) -> IndexJob:
    served, cache = folder / "served", folder / "cache"
    for place in (served, cache, folder / "outside"):
        place.mkdir()
    trace = served / "trace.json.gz"
    shutil.copy(DEMO_TRACE, trace)
    return IndexJob("trace", (trace,), cache / "run" / "digest", served=(served,), cache=cache)


async def index(job: IndexJob) -> None:
    await run_job(job, lambda progress, built: None, Wishes())


async def test_a_trace_that_became_a_link_is_not_read(tmp_path: Path) -> None:
    job = job_of(tmp_path)
    shutil.move(job.files[0], tmp_path / "outside" / "secret.json.gz")
    job.files[0].symlink_to(tmp_path / "outside" / "secret.json.gz")
    with pytest.raises(IndexingFailed, match="leads out of what is served"):
        await index(job)
    assert list((tmp_path / "cache").iterdir()) == []


async def test_a_store_is_not_made_behind_a_link(tmp_path: Path) -> None:
    job = job_of(tmp_path)
    job.store.parent.symlink_to(tmp_path / "outside")
    with pytest.raises(IndexingFailed, match=r"a symbolic link leads out of the cache directory \(remove it\)"):
        await index(job)
    assert list((tmp_path / "outside").iterdir()) == []
    job.store.parent.unlink()
    await index(job)
    assert (job.store / "CURRENT").is_file()


def test_links_within_are_followed(tmp_path: Path) -> None:
    job = job_of(tmp_path)
    job.files[0].rename(tmp_path / "served" / "other.json.gz")
    job.files[0].symlink_to("other.json.gz")
    (tmp_path / "cache" / "elsewhere").mkdir()
    job.store.parent.symlink_to("elsewhere")
    job.refuse_astray()
    IndexJob("", (tmp_path / "a",), tmp_path / "b").refuse_astray()  # a job without bounds
    with pytest.raises(TraceError):
        IndexJob("", (tmp_path / "a",), tmp_path / "b", served=(tmp_path / "served",)).refuse_astray()


def test_a_run_whose_index_is_a_link_is_left_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    job = job_of(tmp_path)
    (job.files[0].parent / "run.trace").write_text("x")
    cache = CacheDirectory(tmp_path / "cache")
    (run,) = find_runs([tmp_path / "served"], cache, discover_files)
    (tmp_path / "cache" / run.id).symlink_to(tmp_path / "outside")
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            assert find_runs([tmp_path / "served"], cache, discover_files) == []
    (said,) = caplog.messages
    assert said == f"{run.store}: a symbolic link leads out of the cache directory (remove it)"
    with pytest.raises(StoreError):
        cache.store_of(run.id, stamps_digest(run.files))


async def test_jobs_are_bound_to_what_is_served_and_to_the_cache(site: Site, registry: Registry) -> None:
    site.add_run("run1")
    registry.request_index(await registry.find("run1"))
    await site.jobs.begun("run1")
    (job,) = site.jobs.jobs
    assert (job.served, job.cache) == ((site.folder,), site.cache.root)


@pytest.mark.parametrize("is_folder", [False, True])
def test_marks_are_not_read_or_written_behind_a_link(tmp_path: Path, *, is_folder: bool) -> None:
    root, outside = tmp_path / "cache", tmp_path / "outside"
    for folder in (root, outside):
        folder.mkdir()
    files = MarkFiles(root)
    files.write("other", MarkList(marks=[]), PLACES, files.read("other", PLACES).etag)
    shutil.move(root / "other" / "marks.json", outside / "marks.json")
    content = (outside / "marks.json").read_bytes()
    if is_folder:
        (root / "run").symlink_to(outside)
    else:
        (root / "run").mkdir()
        (root / "run" / "marks.json").symlink_to(outside / "marks.json")
    for act in (lambda: files.read("run", PLACES), lambda: files.write("run", MarkList(marks=[]), PLACES, "")):
        with pytest.raises(DamagedStore, match="symbolic link"):
            act()
    assert [path.name for path in outside.iterdir()] == ["marks.json"]
    assert (outside / "marks.json").read_bytes() == content
