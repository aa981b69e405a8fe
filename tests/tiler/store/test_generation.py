"""Generations: a build is seen whole, or not at all."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tilescope.tiler.errors import NoStore, StoreError
from tilescope.tiler.store.build_lock import turn
from tilescope.tiler.store.generation import Generation, building_in, current, is_store
from tilescope.tiler.store.lmdb_reader import LmdbReader


@contextmanager
def building(store: Path) -> Iterator[Generation]:
    """A new generation, as soon as it is its turn."""
    with turn(store) as ours, building_in(ours) as generation:
        yield generation


def publish(store: Path, value: bytes) -> str:
    with building(store) as build:
        build.data.put_many([(b"key", value)])
    return build.build


def read(store: Path) -> bytes | None:
    data = LmdbReader(current(store))
    try:
        return data.get(b"key")
    finally:
        data.close()


def test_a_build_is_visible_when_it_has_ended(tmp_path: Path) -> None:
    store = tmp_path / "new" / "store"
    with building(store) as build:
        build.data.put_many([(b"key", b"1")])
        assert not is_store(store)
        with pytest.raises(NoStore):
            current(store)
    assert is_store(store)
    assert read(store) == b"1"


def test_the_next_build_replaces_the_one_before(tmp_path: Path) -> None:
    first = publish(tmp_path, b"1")
    second = publish(tmp_path, b"2")
    assert first != second
    assert read(tmp_path) == b"2"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["CURRENT", "LOCK", f"gen-{second}"]


def test_a_reader_keeps_the_generation_that_it_has_opened(tmp_path: Path) -> None:
    publish(tmp_path, b"1")
    reader = LmdbReader(current(tmp_path))
    publish(tmp_path, b"2")
    assert reader.get(b"key") == b"1"
    reader.close()
    assert read(tmp_path) == b"2"


def test_a_build_that_fails_leaves_no_folder(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="stop"), building(tmp_path / "a" / "b"):
        raise RuntimeError("stop")
    assert list(tmp_path.iterdir()) == []


def test_a_build_that_fails_leaves_the_folder_that_was_there(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), building(tmp_path):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_a_build_that_fails_leaves_the_one_before(tmp_path: Path) -> None:
    build = publish(tmp_path, b"1")

    def fail() -> None:
        with building(tmp_path) as failing:
            failing.data.put_many([(b"key", b"2")])
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        fail()
    assert read(tmp_path) == b"1"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["CURRENT", "LOCK", f"gen-{build}"]


def test_a_crash_leaves_the_build_before_and_the_next_one_tidies_up(tmp_path: Path) -> None:
    publish(tmp_path, b"1")
    program = (
        "import os, pathlib, sys\n"
        "from tilescope.tiler.store.generation import building_in\n"
        "from tilescope.tiler.store.build_lock import turn\n"
        "with turn(pathlib.Path(sys.argv[1])) as ours, building_in(ours) as build:\n"
        "    build.data.put_many([(b'key', b'2')])\n"
        "    os._exit(7)\n"
    )
    assert subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=False).returncode == 7
    assert read(tmp_path) == b"1"
    assert len(list(tmp_path.glob("gen-*.part"))) == 1
    build = publish(tmp_path, b"3")
    assert read(tmp_path) == b"3"
    assert [path.name for path in tmp_path.glob("gen-*")] == [f"gen-{build}"]


def test_one_builds_and_others_wait(tmp_path: Path) -> None:
    with building(tmp_path), (tmp_path / "LOCK").open("w") as lock, pytest.raises(BlockingIOError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    with (tmp_path / "LOCK").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_who_waits_for_a_build_that_fails_builds_then(tmp_path: Path) -> None:
    store = tmp_path / "store"
    waits = threading.Event()

    def wait_and_build() -> None:
        with turn(store, on_wait=waits.set) as ours, building_in(ours) as build:
            build.data.put_many([(b"key", b"2")])

    def fail() -> None:
        with building(store):
            waiting.start()
            assert waits.wait(10)
            raise RuntimeError("stop")

    waiting = threading.Thread(target=wait_and_build)
    with pytest.raises(RuntimeError, match="stop"):
        fail()
    waiting.join(10)
    assert read(store) == b"2"


def test_other_folders_are_not_touched(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(StoreError, match="not empty"), building(tmp_path):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_a_file_is_no_store(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(StoreError, match="is a file"), building(file):
        pass
    with pytest.raises(NoStore):
        current(file)


@pytest.mark.parametrize("text", ["", "gen-missing\n", "../elsewhere\n", "gen-a/../../b\n"])
def test_what_current_must_not_say(tmp_path: Path, text: str) -> None:
    (tmp_path / "CURRENT").write_text(text)
    with pytest.raises(NoStore, match="index the trace again"):
        current(tmp_path)


def test_current_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "CURRENT").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(StoreError, match="cannot be read"):
        current(tmp_path)


def test_the_folder_of_another_database_is_left_alone(tmp_path: Path) -> None:
    """Others have a file CURRENT, too, and would lose everything with it."""
    theirs = {"CURRENT": "MANIFEST-000001\n", "LOCK": "", "000003.log": "x", "MANIFEST-000001": "y"}
    for name, text in theirs.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(StoreError, match="is not empty and not a store"), building(tmp_path):
        pass
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == theirs


def test_a_store_with_a_file_beside_it_stays_a_store(tmp_path: Path) -> None:
    publish(tmp_path, b"1")
    (tmp_path / "notes.txt").write_text("mine")
    publish(tmp_path, b"2")
    assert read(tmp_path) == b"2"
    assert (tmp_path / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize("name", ["LOCK", "CURRENT.part"])
def test_files_of_a_store_are_no_links(tmp_path: Path, name: str) -> None:
    store, outside = tmp_path / "store", tmp_path / "outside"
    publish(store, b"1")
    outside.write_bytes(b"of somebody else")
    (store / name).unlink(missing_ok=True)
    (store / name).symlink_to(outside)
    if name == "LOCK":
        with pytest.raises(StoreError, match="cannot be written"):
            publish(store, b"2")
        assert read(store) == b"1"
    else:
        publish(store, b"2")
        assert read(store) == b"2"
    assert outside.read_bytes() == b"of somebody else"


def test_a_lock_that_is_a_pipe_is_refused(tmp_path: Path) -> None:
    store = tmp_path / "store"
    publish(store, b"1")
    (store / "LOCK").unlink()
    os.mkfifo(store / "LOCK")
    with pytest.raises(StoreError, match="cannot be written"):
        publish(store, b"2")
