"""The four verbs of a store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tilescope.tiler.errors import NoStore, StoreError
from tilescope.tiler.store.lmdb_store import LmdbStore


@pytest.fixture
def store(tmp_path: Path) -> Iterator[LmdbStore]:
    store = LmdbStore(tmp_path, write=True)
    yield store
    store.close()


def test_get_and_put(store: LmdbStore) -> None:
    store.put_many([(b"a", b"1"), (b"b", b"")])
    assert store.get(b"a") == b"1"
    assert store.get(b"b") == b""
    assert store.get(b"c") is None


def test_either_all_entries_are_written_or_none(store: LmdbStore) -> None:
    def entries() -> Iterator[tuple[bytes, bytes]]:
        yield b"a", b"1"
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        store.put_many(entries())
    assert store.get(b"a") is None
    with pytest.raises(StoreError, match="cannot write"):
        store.put_many([(b"a", b"1"), (b"", b"no key")])
    assert store.get(b"a") is None


def test_a_scan_is_in_key_order_and_ends_with_its_prefix(store: LmdbStore) -> None:
    many = [(b"p" + k.to_bytes(2, "big"), str(k).encode()) for k in range(300)]
    store.put_many([*reversed(many), (b"o", b""), (b"q", b"")])
    assert list(store.scan(b"p", b"p")) == many
    assert list(store.scan(many[250][0], b"p")) == many[250:]
    assert [key for key, _ in store.scan(b"")][::301] == [b"o", b"q"]
    assert list(store.scan(b"r")) == []


@pytest.mark.parametrize(
    ("key", "found"),
    [(b"p3", b"p2"), (b"p2", b"p2"), (b"p1", None), (b"p9", b"p5"), (b"\xff", b"p5"), (b"a", None)],
)
def test_the_last_entry_at_most(store: LmdbStore, key: bytes, found: bytes | None) -> None:
    store.put_many([(b"o9", b""), (b"p2", b"x"), (b"p5", b"x")])
    entry = store.last_at_most(key, b"p")
    assert entry == (None if found is None else (found, b"x"))


def test_no_entry_at_all(store: LmdbStore) -> None:
    assert store.last_at_most(b"a", b"") is None
    assert list(store.scan(b"")) == []


def test_reading_needs_a_finished_environment(tmp_path: Path) -> None:
    with pytest.raises(NoStore):
        LmdbStore(tmp_path)


def test_what_is_no_environment_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data.mdb").write_bytes(b"no database" * 1000)
    with pytest.raises(StoreError, match="cannot open"):
        LmdbStore(tmp_path)
