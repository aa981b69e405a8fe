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
    return OpenStores(opener, capacity=2, idle_s=60, open_growing=opener.grow)


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


def test_a_store_that_nobody_uses_for_a_while_is_closed(
    stores: OpenStores, opener: FakeStores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1000.0]
    monkeypatch.setattr("tilescope.server.runs.open_stores.time.monotonic", lambda: now[0])
    a, b = (published(tmp_path, name) for name in "ab")
    stores.current(a)
    with stores.lease(b, "b1"):
        now[0] += 60
        stores.close_idle()
        assert [store.is_closed for store in opener.opened] == [True, False]
        now[0] += 3600
        stores.close_idle()
        assert not opener.opened[1].is_closed
    stores.close_idle()
    assert not opener.opened[1].is_closed  # in use a moment ago
    now[0] += 60
    stores.close_idle()
    assert opener.opened[1].is_closed
    assert stores.current_build(a) == "b1"  # known without opening it
    assert len(opener.opened) == 2
    assert not stores.current(a).is_closed


def test_a_build_that_is_published_is_read_on_without_opening_it_again(
    stores: OpenStores, opener: FakeStores, tmp_path: Path
) -> None:
    path = tmp_path / "a"
    growing = stores.growing(path, "b7")
    assert growing.is_growing
    assert stores.growing(path, "b7") is growing
    publish(path, "b7")
    stores.settle(path)
    assert not growing.is_growing
    assert stores.current(path) is stores.build(path, "b7") is growing
    assert (len(opener.opened), len(opener.growing)) == (0, 1)


def test_a_build_that_is_asked_for_as_published_before_it_is_settled_is_the_same_too(
    stores: OpenStores, opener: FakeStores, tmp_path: Path
) -> None:
    path = tmp_path / "a"
    growing = stores.growing(path, "b7")
    publish(path, "b7")
    assert stores.current(path) is growing
    assert not growing.is_growing
    stores.settle(path)
    assert stores.current(path) is growing
    assert not opener.opened


def test_a_build_that_failed_is_closed_once_nobody_reads_it(
    stores: OpenStores, opener: FakeStores, tmp_path: Path
) -> None:
    path = published(tmp_path, "a", "b1")
    with stores.lease(path, "b7", is_growing=True):
        stores.settle(path)
        assert not opener.growing[0].is_closed
        assert opener.growing[0].is_abandoned
        with pytest.raises(UnknownBuild):
            stores.build(path, "b7")
    assert opener.growing[0].is_closed
    stores.growing(path, "b8")
    stores.settle(path)
    assert opener.growing[1].is_closed
    assert stores.current(path).build == "b1"


def test_a_lease_lasts_over_publication(opener: FakeStores, tmp_path: Path) -> None:
    stores = OpenStores(opener, capacity=2, idle_s=0, open_growing=opener.grow)
    path, *others = (tmp_path / name for name in "abcd")
    with stores.lease(path, "b7", is_growing=True) as leased:
        publish(path, "b7")
        stores.settle(path)
        for other in others:
            publish(other)
            stores.current(other)
        stores.close_idle()
        assert not leased.is_closed  # type: ignore[attr-defined]
    stores.close_idle()
    assert opener.growing[0].is_closed


def test_another_build_takes_the_place_of_one_that_never_came_to_an_end(
    stores: OpenStores, opener: FakeStores, tmp_path: Path
) -> None:
    stores.growing(tmp_path / "a", "b7")
    assert stores.growing(tmp_path / "a", "b8").build == "b8"
    assert [store.is_closed for store in opener.growing] == [True, False]
    stores.close()
    assert opener.growing[1].is_closed
