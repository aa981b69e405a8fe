"""A disk that is full: one line that says how much is needed, nothing left behind, the old index still served."""

from __future__ import annotations

import errno
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from tests.tiler.store.small_disk import small_disk
from tilescope.tiler.errors import DiskFull
from tilescope.tiler.indexing import build_store
from tilescope.tiler.store import open_run_store
from tilescope.tiler.store.lmdb_writer import LmdbWriter
from tilescope.tiler.synth import write_synthetic_trace
from tilescope.tiler.verify import verify_store

pytestmark = pytest.mark.slow

MB = 1_000_000
LINE = re.compile(r"the disk is full: the index needs about ([\d.]+) MB more, ([\d.]+) MB are free there")


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One whose index takes about 5.5 MB."""
    folder = tmp_path_factory.mktemp("trace")
    return write_synthetic_trace(folder / "a.pb", format="xspace", events=300_000, tracks=40, seed=1).path


@pytest.fixture(scope="module")
def small_trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small")
    return write_synthetic_trace(folder / "b.pb", format="xspace", events=20_000, tracks=4, seed=2).path


def names(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def index(trace: Path, store: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-m", "tilescope", "index", str(trace), "-o", str(store)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("size_bytes", [5 * MB // 10, 2 * MB, 3 * MB, 4 * MB])
def test_the_error_says_how_much_is_needed_and_nothing_is_left(tmp_path: Path, trace: Path, size_bytes: int) -> None:
    with small_disk(tmp_path / "disk", size_bytes) as disk:
        done = index(trace, disk / "store")
        assert (done.returncode, done.stdout) == (1, "")
        (line,) = [line for line in done.stderr.splitlines() if "disk is full" in line]
        assert line.startswith(f"tilescope: {disk}/store: ")
        assert names(disk) == set()
    found = LINE.search(line)
    assert found is not None, line
    missing, free = (float(number) * MB for number in found.groups())
    assert 0 <= free <= size_bytes
    # Another 300,000 events take as much: what is written and what is missing is within a factor of two of it.
    if size_bytes >= 2 * MB:
        assert 3.5 * MB < size_bytes - free + missing < 15 * MB


def test_the_old_index_is_still_served(tmp_path: Path, trace: Path, small_trace: Path) -> None:
    with small_disk(tmp_path / "disk", 4 * MB) as disk:
        build = build_store([small_trace], disk / "store")
        before = names(disk)
        with pytest.raises(DiskFull, match=LINE):
            build_store([trace], disk / "store")
        assert names(disk) == before
        opened = open_run_store(disk / "store")
        assert opened.build == build
        opened.close()
        verify_store(disk / "store")
        with pytest.raises(DiskFull, match=LINE):
            build_store([trace], disk / "store")
        assert names(disk) == before


def test_with_just_enough_room_it_works_and_the_next_one_does_not(tmp_path: Path, trace: Path) -> None:
    """The old and the new generation are on the disk together: twice the room is needed."""
    with small_disk(tmp_path / "disk", 10 * MB) as disk:
        build = build_store([trace], disk / "store")
        with pytest.raises(DiskFull):
            build_store([trace], disk / "store", force=True)
        opened = open_run_store(disk / "store")
        assert opened.build == build
        opened.close()


@pytest.mark.parametrize("suffix", [".pb", ".pb.gz"])
def test_scratch_space_counts_too(tmp_path: Path, suffix: str) -> None:
    """Events that do not fit into memory, and traces that have to be inflated, lie on the disk of the store."""
    path = tmp_path / f"a{suffix}"
    trace = write_synthetic_trace(path, format="xspace", events=300_000, tracks=40, seed=1).path
    with small_disk(tmp_path / "disk", 10 * MB) as disk:
        with pytest.raises(DiskFull) as failure:
            build_store([trace], disk / "store", memory_bytes=1 * MB)
        assert names(disk) == set()
    found = LINE.search(str(failure.value))
    assert found is not None
    missing, free = (float(number) * MB for number in found.groups())
    assert missing > free


def test_members_of_a_compressed_archive_are_copied_to_the_disk_of_the_store(tmp_path: Path, trace: Path) -> None:
    path = tmp_path / "a.tgz"
    with tarfile.open(path, "w:gz") as archive:
        for name in ("a.pb", "b.pb"):
            archive.add(trace, name)
    with small_disk(tmp_path / "disk", 15 * MB) as disk:
        with pytest.raises(DiskFull, match=LINE):
            build_store([path / "a.pb", path / "b.pb"], disk / "store")
        assert names(disk) == set()


def test_a_disk_that_is_full_already(tmp_path: Path, small_trace: Path) -> None:
    with small_disk(tmp_path / "disk", 2 * MB) as disk:
        with (disk / "ballast").open("wb") as ballast:
            os.posix_fallocate(ballast.fileno(), 0, shutil.disk_usage(disk).free)
        with pytest.raises(DiskFull, match=LINE):
            build_store([small_trace], disk / "store")
        assert names(disk) == {"ballast"}


@pytest.mark.parametrize(
    ("owner", "function"), [(LmdbWriter, "put_many"), (LmdbWriter, "sync"), (Path, "rename"), (Path, "replace")]
)
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EIO])
def test_every_step_may_fail(
    tmp_path: Path, small_trace: Path, monkeypatch: pytest.MonkeyPatch, owner: type, function: str, number: int
) -> None:
    build = build_store([small_trace], tmp_path / "store")
    before = names(tmp_path)

    def fail(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    expected = OSError if number == errno.EIO else DiskFull
    with monkeypatch.context() as patch:
        patch.setattr(owner, function, fail)
        with pytest.raises(expected):
            build_store([small_trace], tmp_path / "store", force=True)
    assert names(tmp_path) == before
    opened = open_run_store(tmp_path / "store")
    assert opened.build == build
    opened.close()
