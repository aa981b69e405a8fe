from __future__ import annotations

import os
from pathlib import Path

import pytest

from tilescope.server.runs.cache import CacheDirectory
from tilescope.tiler.readers.fingerprint import stamps_digest
from tilescope.tiler.store.build_lock import turn
from tilescope.tiler.store.cache_place import default_cache_dir
from tilescope.tiler.store.generation_lock import hold


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    trace = tmp_path / "host0.xplane.pb"
    trace.write_bytes(b"x")
    return trace


def test_a_store_is_found_again_as_long_as_the_files_are_the_same(tmp_path: Path, trace: Path) -> None:
    cache = CacheDirectory(tmp_path / "cache")
    store = cache.store_of("run", stamps_digest([trace]))
    assert store == cache.store_of("run", stamps_digest([trace]))
    assert store.parent == tmp_path / "cache" / "run"
    assert not cache.root.exists()


def test_another_size_time_or_file_means_another_store(tmp_path: Path, trace: Path) -> None:
    cache = CacheDirectory(tmp_path / "cache")
    stores = {cache.store_of("run", stamps_digest([trace]))}
    os.utime(trace, ns=(1, 1))
    stores.add(cache.store_of("run", stamps_digest([trace])))
    trace.write_bytes(b"xy")
    os.utime(trace, ns=(1, 1))
    stores.add(cache.store_of("run", stamps_digest([trace])))
    other = tmp_path / "host1.xplane.pb"
    other.write_bytes(b"")
    stores.add(cache.store_of("run", stamps_digest([trace, other])))
    stores.add(cache.store_of("run2", stamps_digest([trace])))
    assert len(stores) == 5


def test_a_member_of_an_archive_is_as_old_as_the_archive(tmp_path: Path, trace: Path) -> None:
    cache = CacheDirectory(tmp_path / "cache")
    members = [trace / "host0.json", trace / "deep" / "host1.json"]
    store = cache.store_of("run", stamps_digest(members))
    assert store != cache.store_of("run", stamps_digest(members[:1]))
    os.utime(trace, ns=(1, 1))
    assert store != cache.store_of("run", stamps_digest(members))
    trace.unlink()
    with pytest.raises(FileNotFoundError):
        cache.store_of("run", stamps_digest(members))


def make_store(store: Path, size_bytes: int = 10_000, *, used_s: int = 0) -> Path:
    """A published store, as far as the cache looks at it, that was last used so many seconds after the epoch."""
    generation = store / "gen-1"
    generation.mkdir(parents=True)
    (generation / "data.mdb").write_bytes(bytes(size_bytes))
    (store / "CURRENT").write_text("gen-1\n")
    (store / "LOCK").touch()
    for name in ("CURRENT", "LOCK"):
        os.utime(store / name, ns=(0, used_s * 10**9))
    return store


def test_older_stores_of_a_run_are_discarded_and_nothing_else(tmp_path: Path) -> None:
    cache = CacheDirectory(tmp_path / "cache")
    old, new, other = (make_store(cache.root / name) for name in ("run/old", "run/new", "run2/old"))
    outside = [make_store(tmp_path / "elsewhere" / name) for name in "ab"]
    foreign = cache.root / "run" / "notes"
    foreign.mkdir()
    (foreign / "mine.txt").touch()
    assert cache.older(new) == [old]
    assert cache.older(outside[0]) == []
    assert [left.path for left in cache.discard(cache.older(new))] == [old]
    assert not old.exists()
    assert all((folder / "CURRENT").exists() for folder in (new, other, *outside))
    assert (foreign / "mine.txt").exists()


def test_the_least_recently_used_go_until_the_others_fit(tmp_path: Path) -> None:
    cache = CacheDirectory(tmp_path / "cache", capacity_bytes=25_000 + 4 * 4096)
    a, b, c, d = (
        make_store(cache.root / f"run-{name}" / "1", used_s=used_s)
        for name, used_s in zip("abcd", (30, 10, 40, 20), strict=True)
    )
    assert [left.path for left in cache.trim(dry_run=True)] == [b, d]
    assert all(store.exists() for store in (a, b, c, d))
    assert [left.path for left in cache.trim()] == [b, d]
    assert [a.exists(), b.exists(), c.exists(), d.exists()] == [True, False, True, False]
    assert not b.parent.exists()
    assert cache.trim() == []


def test_one_that_is_in_use_stays(tmp_path: Path) -> None:
    cache = CacheDirectory(tmp_path / "cache", capacity_bytes=0)
    read, built, free = (make_store(cache.root / "run" / name) for name in ("read", "built", "free"))
    use = hold(read / "gen-1")
    assert use is not None
    with turn(built):
        assert [left.path for left in cache.trim()] == [free]
        assert [left.path for left in cache.clear_up()] == []
    use.close()
    assert [left.path for left in cache.trim()] == [built, read]
    assert list(cache.root.iterdir()) == []


def test_clearing_up_removes_what_nobody_needs(tmp_path: Path) -> None:
    cache = CacheDirectory(tmp_path / "cache")
    stale, new = make_store(cache.root / "run" / "b", used_s=1), make_store(cache.root / "run" / "a", used_s=2)
    given_up = cache.root / "run2" / "a"
    (given_up / "gen-3.part").mkdir(parents=True)
    (new / "gen-0").mkdir()
    (new / "gen-2.part").mkdir()
    expected = {stale, new / "gen-0", new / "gen-2.part", given_up}
    assert {left.path for left in cache.clear_up(dry_run=True)} == expected
    assert all(path.exists() for path in expected)
    assert {left.path for left in cache.clear_up()} == expected
    assert not any(path.exists() for path in expected)
    assert sorted(path.name for path in new.iterdir()) == ["CURRENT", "LOCK", "gen-1"]
    assert cache.clear_up() == []


def test_a_cache_that_is_not_there_is_empty(tmp_path: Path) -> None:
    cache = CacheDirectory(tmp_path / "cache")
    assert (cache.stores(), cache.trim(), cache.clear_up()) == ([], [], [])


@pytest.mark.parametrize(
    ("xdg", "expected"), [("/var/x", "/var/x"), ("", "/home/me/.cache"), ("relative", "/home/me/.cache")]
)
def test_the_default_follows_the_xdg_specification(monkeypatch: pytest.MonkeyPatch, xdg: str, expected: str) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.setenv("XDG_CACHE_HOME", xdg)
    assert default_cache_dir() == Path(expected) / "tilescope" / "stores"
