from __future__ import annotations

import os
from pathlib import Path

import pytest

from tilescope.server.runs.cache import CacheDirectory, default_cache_dir


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    trace = tmp_path / "host0.xplane.pb"
    trace.write_bytes(b"x")
    return trace


def test_a_store_is_found_again_as_long_as_the_files_are_the_same(tmp_path: Path, trace: Path) -> None:
    cache = CacheDirectory(tmp_path / "cache")
    store = cache.store_of("run", [trace])
    assert store == cache.store_of("run", [trace])
    assert store.parent == tmp_path / "cache" / "run"
    assert not cache.root.exists()


def test_another_size_time_or_file_means_another_store(tmp_path: Path, trace: Path) -> None:
    cache = CacheDirectory(tmp_path / "cache")
    stores = {cache.store_of("run", [trace])}
    os.utime(trace, ns=(1, 1))
    stores.add(cache.store_of("run", [trace]))
    trace.write_bytes(b"xy")
    os.utime(trace, ns=(1, 1))
    stores.add(cache.store_of("run", [trace]))
    other = tmp_path / "host1.xplane.pb"
    other.write_bytes(b"")
    stores.add(cache.store_of("run", [trace, other]))
    stores.add(cache.store_of("run2", [trace]))
    assert len(stores) == 5


def test_a_member_of_an_archive_is_as_old_as_the_archive(tmp_path: Path, trace: Path) -> None:
    cache = CacheDirectory(tmp_path / "cache")
    members = [trace / "host0.json", trace / "deep" / "host1.json"]
    store = cache.store_of("run", members)
    assert store != cache.store_of("run", members[:1])
    os.utime(trace, ns=(1, 1))
    assert store != cache.store_of("run", members)
    trace.unlink()
    with pytest.raises(FileNotFoundError):
        cache.store_of("run", members)


def test_older_stores_of_a_run_are_discarded_and_nothing_else(tmp_path: Path) -> None:
    cache = CacheDirectory(tmp_path / "cache")
    old, new, other = cache.root / "run" / "old", cache.root / "run" / "new", cache.root / "run2" / "old"
    outside = tmp_path / "elsewhere" / "a", tmp_path / "elsewhere" / "b"
    for folder in (old, new, other, *outside):
        folder.mkdir(parents=True)
        (folder / "CURRENT").touch()
    cache.discard_older(new)
    cache.discard_older(outside[0])
    assert not old.exists()
    assert all((folder / "CURRENT").exists() for folder in (new, other, *outside))


@pytest.mark.parametrize(
    ("xdg", "expected"), [("/var/x", "/var/x"), ("", "/home/me/.cache"), ("relative", "/home/me/.cache")]
)
def test_the_default_follows_the_xdg_specification(monkeypatch: pytest.MonkeyPatch, xdg: str, expected: str) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.setenv("XDG_CACHE_HOME", xdg)
    assert default_cache_dir() == Path(expected) / "tilescope" / "stores"
