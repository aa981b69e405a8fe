from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.fakes import FakeStores, publish
from tilescope.server.errors import UnknownBuild
from tilescope.server.runs.open_stores import OpenStores
from tilescope.tiler.errors import DamagedStore, NoStore


@pytest.fixture
def opener() -> FakeStores:
    return FakeStores()


@pytest.fixture
def stores(opener: FakeStores) -> OpenStores:
    return OpenStores(opener, capacity=2)


def published(folder: Path, name: str, build: str = "b1") -> Path:
    publish(folder / name, build)
    return folder / name


def test_a_store_is_opened_once(stores: OpenStores, opener: FakeStores, tmp_path: Path) -> None:
    path = published(tmp_path, "a")
    assert stores.current(path) is stores.build(path, "b1")
    assert stores.current_build(path) == "b1"
    assert len(opener.opened) == 1


def test_a_new_generation_is_seen_and_the_old_one_stays_for_those_who_know_it(
    stores: OpenStores, opener: FakeStores, tmp_path: Path
) -> None:
    path = published(tmp_path, "a")
    old = stores.current(path)
    publish(path, "b2")
    assert stores.current_build(path) == "b2"
    assert stores.current(path).build == "b2"
    assert stores.build(path, "b1") is old


def test_a_current_file_that_was_only_touched_opens_nothing_twice(
    stores: OpenStores, opener: FakeStores, tmp_path: Path
) -> None:
    path = published(tmp_path, "a")
    stores.current(path)
    publish(path, "b1")
    stores.current(path)
    assert len(opener.opened) == 1


def test_what_is_not_published_is_no_store(stores: OpenStores, tmp_path: Path) -> None:
    with pytest.raises(NoStore):
        stores.current(tmp_path / "a")
    with pytest.raises(UnknownBuild):
        stores.build(tmp_path / "a", "b1")


def test_a_build_that_is_not_published_is_unknown(stores: OpenStores, tmp_path: Path) -> None:
    with pytest.raises(UnknownBuild, match="b7"):
        stores.build(published(tmp_path, "a"), "b7")


def test_the_least_recently_used_is_closed(stores: OpenStores, opener: FakeStores, tmp_path: Path) -> None:
    a, b, c = (published(tmp_path, name) for name in "abc")
    stores.current(a)
    stores.current(b)
    stores.current(a)
    stores.current(c)
    assert [store.is_closed for store in opener.opened] == [False, True, False]
    assert stores.current_build(b) == "b1"  # known without opening it again
    assert len(opener.opened) == 3


def test_a_leased_store_is_never_closed(stores: OpenStores, opener: FakeStores, tmp_path: Path) -> None:
    a, b, c, d = (published(tmp_path, name) for name in "abcd")
    with stores.lease(a, "b1") as leased, stores.lease(b, "b1"), stores.lease(c, "b1"):
        stores.current(d)
        assert not leased.is_closed  # type: ignore[attr-defined]
        assert stores.build(a, "b1") is leased
    assert sum(not store.is_closed for store in opener.opened) == 2


def test_a_generation_that_is_replaced_while_it_is_opened_is_opened_again(tmp_path: Path) -> None:
    path = published(tmp_path, "a", "b1")
    opener = FakeStores()

    def open_slowly(store: Path) -> object:
        opened = opener(store)
        if len(opener.opened) == 1:
            publish(path, "b2")
        return opened

    stores = OpenStores(open_slowly, capacity=2)  # type: ignore[arg-type]
    assert stores.current(path).build == "b2"
    assert [store.is_closed for store in opener.opened] == [True, False]


def test_errors_of_the_store_pass_through(stores: OpenStores, opener: FakeStores, tmp_path: Path) -> None:
    path = published(tmp_path, "a")
    opener.damaged.add(path)
    with pytest.raises(DamagedStore):
        stores.current_build(path)


def test_closing_closes_all(stores: OpenStores, opener: FakeStores, tmp_path: Path) -> None:
    stores.current(published(tmp_path, "a"))
    stores.current(published(tmp_path, "b"))
    stores.close()
    assert all(store.is_closed for store in opener.opened)
