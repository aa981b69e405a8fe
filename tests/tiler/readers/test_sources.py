"""Sources: each archive of a run is gone through once, within bounds, and nothing of it is left behind."""

from __future__ import annotations

import errno
import gzip
import io
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tilescope.tiler.errors import Cancelled, DiskFull, TooLarge
from tilescope.tiler.readers import archives, discover
from tilescope.tiler.readers.container import list_archive, trace_paths
from tilescope.tiler.readers.inflation import DEFAULT_LEAST_BYTES, Inflation
from tilescope.tiler.readers.source import ByteSource
from tilescope.tiler.readers.sources import Sources, open_source

MEMBERS = 300


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def json_of(ts: int) -> bytes:
    return b'{"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":%d,"dur":2,"name":"a"}]}' % ts


def archive(path: Path, kind: str) -> Path:
    if kind == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as zipped:
            for k in range(MEMBERS):
                zipped.writestr(f"{k}.json", json_of(k))
        return path
    with tarfile.open(path, "w:gz" if kind == "tgz" else "w") as tar:
        for k in range(MEMBERS):
            info = tarfile.TarInfo(f"{k}.json")
            info.size = len(json_of(k))
            tar.addfile(info, io.BytesIO(json_of(k)))
    return path


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files that are opened to be inflated, one entry each time."""
    opened: list[Path] = []
    original = ByteSource.open.__func__  # type: ignore[attr-defined]

    def note(cls: type[ByteSource], path: Path, max_inflated: int | None = None) -> ByteSource:
        opened.append(path)
        source: ByteSource = original(cls, path, max_inflated)
        return source

    monkeypatch.setattr(ByteSource, "open", classmethod(note))
    return opened


@pytest.mark.parametrize("kind", ["zip", "tar", "tgz"])
def test_an_archive_is_gone_through_once(tmp_path: Path, kind: str, opened: list[Path]) -> None:
    paths = trace_paths(archive(tmp_path / "a", kind))
    assert len(paths) == MEMBERS
    passes = len(opened)
    assert passes <= 1
    sources = Sources(paths, scratch_dir=tmp_path)
    asked = len(opened)
    for k, path in reversed(list(enumerate(paths))):
        with sources.open(path) as source:
            assert source.read(1000) == json_of(k)
    assert len(opened) - asked <= 1
    assert [path.name for path in tmp_path.iterdir()] == ["a"]  # what was copied has no name
    sources.close()


def test_the_only_member_that_is_wanted_is_not_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = archive(tmp_path / "a", "tgz")

    def no_copy(*_arguments: object) -> None:
        raise AssertionError

    monkeypatch.setattr(archives, "_write", no_copy)
    with open_source(path / "77.json") as source:
        assert source.read(1000) == json_of(77)


def test_the_bound_is_a_hundred_times_the_size(tmp_path: Path) -> None:
    assert Inflation(tmp_path, 1000).max_bytes == DEFAULT_LEAST_BYTES == 2**30
    assert Inflation(tmp_path, 10**9).max_bytes == 10**11
    assert Inflation(tmp_path, 10**9, 5).max_bytes == 5


def bomb(size: int) -> bytes:
    return gzip.compress(b'{"traceEvents":[' + b" " * size + b"]}", 9)


def test_what_inflates_to_too_much_is_stopped(tmp_path: Path) -> None:
    path = tmp_path / "a.json.gz"
    path.write_bytes(bomb(50_000_000))
    with open_source(path, 10_000_000) as source:
        with pytest.raises(TooLarge, match=r"a.json.gz: inflates to more than 10,000,000 bytes .*--max-inflated"):
            source.skip(10**9)
        assert source.inflation.inflated_bytes < 20_000_000
    with open_source(path, 60_000_000) as source:
        assert source.skip(10**9) == 50_000_018


@pytest.mark.parametrize("kind", ["zip", "tar", "tgz"])
def test_members_count_together(tmp_path: Path, kind: str) -> None:
    """Each of ten members inflates to 4 MB; all of them are more than may be."""
    path = tmp_path / "a"
    data = bomb(4_000_000)
    if kind == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as zipped:
            for k in range(10):
                zipped.writestr(f"{k}.json.gz", data)
    else:
        with tarfile.open(path, "w:gz" if kind == "tgz" else "w") as tar:
            for k in range(10):
                info = tarfile.TarInfo(f"{k}.json.gz")
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
    sources = Sources([path / f"{k}.json.gz" for k in range(10)], max_inflated=30_000_000)
    for k in range(7):
        with sources.open(path / f"{k}.json.gz") as source:
            source.skip(10**9)
    with (
        sources.open(path / "8.json.gz") as source,
        pytest.raises(TooLarge, match="a: inflates to more than 30,"),
    ):
        source.skip(10**9)
    sources.close()


def test_a_compressed_archive_that_inflates_to_too_much_is_not_listed(tmp_path: Path) -> None:
    path = tmp_path / "a.tgz"
    with tarfile.open(path, "w:gz") as tar:
        info = tarfile.TarInfo("zeros.bin")
        info.size = 50_000_000
        tar.addfile(info, io.BytesIO(bytes(info.size)))
    for _ in range(2):
        with pytest.raises(TooLarge, match="--max-inflated"):
            list_archive(path, 10_000_000)
    for place in (path, tmp_path):  # so that somebody is told
        (run,) = discover(place, 10_000_000)
        assert run.files == (path,)


def filling(limit: int) -> Callable[[int, bytes], None]:
    written = 0

    def write(_file: int, data: bytes) -> None:
        nonlocal written
        written += len(data)
        if written > limit:
            raise OSError(errno.ENOSPC, "No space left on device")

    return write


def test_a_disk_that_fills_while_members_are_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = trace_paths(archive(tmp_path / "a", "tgz"))
    monkeypatch.setattr(archives, "_write", filling(5000))
    sources = Sources(paths, scratch_dir=tmp_path)
    before = descriptors()
    for path in paths[:2]:
        with pytest.raises(DiskFull, match=r"the disk is full: the traces in a take about .* MB"):
            sources.open(path)
    assert descriptors() == before
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    sources.close()


def test_going_through_an_archive_can_be_stopped(tmp_path: Path) -> None:
    paths = trace_paths(archive(tmp_path / "a", "tgz"))
    sources = Sources(paths, scratch_dir=tmp_path)
    before = descriptors()
    calls = 0

    def stop() -> None:
        nonlocal calls
        calls += 1
        if calls == 100:
            raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        sources.open(paths[0], stop)
    assert descriptors() == before
    sources.close()


def test_leaving_out_a_large_member_can_be_stopped(tmp_path: Path) -> None:
    path = tmp_path / "a.tgz"
    with tarfile.open(path, "w:gz", compresslevel=1) as tar:
        for name, size in (("zeros.bin", 200_000_000), ("a.json", 0)):
            info = tarfile.TarInfo(name)
            info.size = size
            tar.addfile(info, io.BytesIO(bytes(size)))
    calls = 0

    def stop() -> None:
        nonlocal calls
        calls += 1
        if calls == 4:
            raise Cancelled("stopped")

    sources = Sources([path / "a.json"])
    with pytest.raises(Cancelled):
        sources.open(path / "a.json", stop)
    sources.close()
