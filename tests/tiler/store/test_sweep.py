"""What is removed from a store, and what is not: folders as they are left by crashes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tilescope.tiler.store.build_lock import turn
from tilescope.tiler.store.generation_lock import claim, hold
from tilescope.tiler.store.sweep import evict, sweep


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A published generation, and everything that may lie beside it."""
    store = tmp_path / "store"
    for name in ("gen-old", "gen-now", "gen-new.part"):
        (store / name).mkdir(parents=True)
        (store / name / "data.mdb").write_bytes(bytes(100))
    (store / "gen-empty.part").mkdir()
    (store / "CURRENT").write_text("gen-now\n")
    (store / "CURRENT.part").write_text("gen-n")
    (store / "LOCK").touch()
    return store


def names(store: Path) -> list[str]:
    return sorted(path.name for path in store.iterdir())


def test_everything_but_the_published_generation_goes(store: Path) -> None:
    everything = names(store)
    left = [leftover.path.name for leftover in sweep(store, dry_run=True)]
    assert left == ["CURRENT.part", "gen-empty.part", "gen-new.part", "gen-old"]
    assert names(store) == everything
    assert [leftover.path.name for leftover in sweep(store)] == left
    assert names(store) == ["CURRENT", "LOCK", "gen-now"]
    assert sweep(store) == []


def test_nothing_goes_while_somebody_builds(store: Path) -> None:
    everything = names(store)
    with turn(store):
        assert sweep(store) == []
        assert evict(store) is None
    assert names(store) == everything


def test_what_is_read_stays(store: Path) -> None:
    use = hold(store / "gen-old")
    assert use is not None
    assert claim(store / "gen-old") is None
    sweep(store)
    assert names(store) == ["CURRENT", "LOCK", "gen-now", "gen-old"]
    assert evict(store) is None
    assert names(store) == ["CURRENT", "LOCK", "gen-now", "gen-old"]
    use.close()
    use.close()
    sweep(store)
    assert names(store) == ["CURRENT", "LOCK", "gen-now"]


def test_several_may_read(store: Path) -> None:
    first, second = hold(store / "gen-now"), hold(store / "gen-now")
    assert first is not None
    assert second is not None
    first.close()
    assert evict(store) is None
    second.close()
    assert evict(store) is not None
    assert not store.exists()


@pytest.mark.parametrize("is_removed", [False, True])
def test_who_begins_to_read_waits_for_who_may_remove(store: Path, is_removed: bool) -> None:
    ours = claim(store / "gen-now")
    assert ours is not None
    with ThreadPoolExecutor(1) as executor:
        reader = executor.submit(hold, store / "gen-now")
        with pytest.raises(TimeoutError):
            reader.result(timeout=0.02)
        if is_removed:
            (store / "gen-now" / "data.mdb").unlink()
        ours.close()
        theirs = reader.result(timeout=10)
    assert (theirs is None) == is_removed
    if theirs is not None:
        assert evict(store) is None
        theirs.close()


def test_what_is_not_there_cannot_be_read(store: Path) -> None:
    assert hold(store / "gen-absent") is None


@pytest.mark.parametrize("name", ["notes.txt", "data.mdb"])
def test_a_folder_of_somebody_else_is_not_touched(tmp_path: Path, name: str) -> None:
    (tmp_path / "gen-mine").mkdir()
    (tmp_path / name).touch()
    assert sweep(tmp_path) == []
    assert evict(tmp_path) is None
    assert names(tmp_path) == sorted(["gen-mine", name])
    assert sweep(tmp_path / "absent") == []
    assert not (tmp_path / "absent").exists()
