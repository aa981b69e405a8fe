"""Folders that are listed again: as they are now whatever was changed, and without work where nothing was."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler import _native
from tilescope.tiler.readers import discover, folder_listing
from tilescope.tiler.readers.folder_listing import FolderListing, list_folder

REAL_NS = time.time_ns


@pytest.fixture(autouse=True, scope="module")
def no_folder_rests() -> Iterator[None]:
    """A clock that stands, before all files: however slow a test is, no folder rests unless it moves the clock."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "time_ns", lambda: 0)
        yield


NAMES = st.sampled_from(["a.json", "b.csv", "c.txt", "d", ".hidden.json", "e.SSTABLE", "CURRENT"])
CHANGES = st.sampled_from(["write", "append", "touch", "remove", "folder", "link", "link to folder", "link to itself"])


def change(folder: Path, outside: Path, name: str, what: str) -> None:
    """Changes an entry; one of another kind that is in the way goes first."""
    path = folder / name
    is_kept = what in ("append", "touch") and path.is_file()
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    elif not is_kept:
        path.unlink(missing_ok=True)
    if what in ("write", "append", "touch"):
        with path.open("ab") as file:
            file.write(b" " * (what != "touch"))
        os.utime(path, ns=(1, path.stat().st_mtime_ns + (what == "touch")))
    elif what == "folder":
        path.mkdir()
    elif what == "link":
        path.symlink_to(outside / "file.json")
    elif what == "link to folder":
        path.symlink_to(outside)
    elif what == "link to itself":
        path.symlink_to(path)


@given(changes=st.lists(st.tuples(NAMES, CHANGES, st.booleans()), max_size=12))
def test_a_listing_is_as_a_fresh_one_whatever_changed(changes: list[tuple[str, str, bool]]) -> None:
    with TemporaryDirectory() as name:
        folder, outside = Path(name) / "folder", Path(name) / "outside"
        for path in (folder, outside):
            path.mkdir()
        (outside / "file.json").write_text("{}")
        for entry, what, is_target_written in changes:
            change(folder, outside, entry, what)
            if is_target_written:
                with (outside / "file.json").open("a") as file:
                    file.write(" ")
            listing = list_folder(str(folder))
            assert listing == folder_listing._list(str(folder))
            assert list_folder(str(folder)) is listing


def test_entries_by_what_they_are(tmp_path: Path) -> None:
    for name in ("b.json", "a.csv", ".c.json", "x.SSTABLE", "notes"):
        (tmp_path / name).write_text("{}")
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "latest").symlink_to("folder.json")
    listing = list_folder(str(tmp_path))
    assert [file.name for file in listing.files] == ["a.csv", "b.json"]
    assert (listing.folders, listing.links, listing.tables) == (("folder.json",), ("latest",), ("x.SSTABLE",))
    (tmp_path / "CURRENT").write_text("")
    assert list_folder(str(tmp_path)) == FolderListing(is_store=True)


def test_folders_beyond_what_is_kept_are_listed_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.json").write_text("{}")
    monkeypatch.setattr(folder_listing, "_MOST_STATE_BYTES", 10)
    first = list_folder(str(tmp_path))
    again = list_folder(str(tmp_path))
    assert first == again
    assert first is not again


def test_a_folder_that_is_gone_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list_folder(str(tmp_path / "gone"))


def test_the_longest_unseen_listings_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder_listing, "_KEPT", folder_listing._KeptListings())
    monkeypatch.setattr(folder_listing, "_MOST_KEPT_BYTES", 2500 + 2 * len(str(tmp_path)))  # two of these, not three
    for number in range(3):
        (tmp_path / f"{number}").mkdir()
        (tmp_path / f"{number}" / "a.json").write_text("{}")
    listings = [list_folder(str(tmp_path / f"{number}")) for number in range(3)]
    assert list_folder(str(tmp_path / "2")) is listings[2]
    assert list_folder(str(tmp_path / "0")) is not listings[0]


def test_what_is_kept_is_bounded_also_of_empty_folders_and_of_many_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_listing, "_MOST_KEPT_BYTES", 200_000)
    full = tmp_path / "full"
    full.mkdir()
    for number in range(500):
        (full / f"{number}.json").touch()
    list_folder(str(full))  # what is loaded for the first list stays
    monkeypatch.setattr(folder_listing, "_KEPT", folder_listing._KeptListings())
    folders = [tmp_path / f"{number}" for number in range(1000)]
    for folder in folders:
        folder.mkdir()  # not below: names are interned, in a table that grows at once
    tracemalloc.start()
    try:
        for folder in folders:
            list_folder(str(folder))
        list_folder(str(full))
        assert tracemalloc.get_traced_memory()[0] < 250_000
    finally:
        tracemalloc.stop()


@given(changes=st.lists(st.tuples(st.integers(0, 3), NAMES, CHANGES), max_size=8), removed=st.integers(0, 8))
def test_folders_that_two_threads_looked_at_are_listed_as_they_are(
    changes: list[tuple[int, str, str]], removed: int
) -> None:
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(folder_listing, "_WORTH_A_THREAD", 2)
        patch.setattr(folder_listing, "processors", lambda: 2)
        root, outside = Path(name) / "root", Path(name) / "outside"
        folders = [root, *(root / f"{number}" / "below" for number in range(4))]
        for path in (*folders, outside):
            path.mkdir(parents=True, exist_ok=True)
        (outside / "file.json").write_text("{}")
        all_folders = [root, *(folder for path in folders[1:] for folder in (path.parent, path))]
        for path in all_folders:
            list_folder(str(path))
        for number, entry, what in changes:
            change(folders[number + 1], outside, entry, what)
        gone = None
        if removed < 4:
            gone = folders[removed + 1]
            shutil.rmtree(gone)
        states = folder_listing.states_ahead(str(root))
        assert {str(path) for path in all_folders} <= states.keys()
        for path in all_folders:
            if path == gone:
                with pytest.raises(FileNotFoundError):
                    list_folder(str(path), states)
            else:
                assert list_folder(str(path), states) == folder_listing._list(str(path))


class Clock:
    """The clock by which folders rest, ahead of the file system's."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, ahead_s: float) -> None:
        self.ahead_s = ahead_s
        monkeypatch.setattr(time, "time_ns", lambda: REAL_NS() + int(self.ahead_s * 1e9))


def append(file: Path) -> None:
    with file.open("a") as opened:
        opened.write(" ")


def sizes(folder: Path) -> list[int]:
    return [file.size_bytes for file in list_folder(str(folder)).files]


def test_files_of_a_folder_at_rest_are_looked_at_after_a_tenth_of_its_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.json").write_text("{}")
    clock = Clock(monkeypatch, 400)
    assert sizes(tmp_path) == [2]
    append(tmp_path / "a.json")
    clock.ahead_s += 18  # of 20 to 40: folders take turns
    assert sizes(tmp_path) == [2]
    clock.ahead_s += 23
    assert sizes(tmp_path) == [3]


def test_a_folder_rests_for_a_minute_at_most(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.json").write_text("{}")
    clock = Clock(monkeypatch, 1e6)
    assert sizes(tmp_path) == [2]
    append(tmp_path / "a.json")
    clock.ahead_s += 61
    assert sizes(tmp_path) == [3]


@pytest.mark.parametrize("ahead_s", [-1000, 0, 1])
def test_a_folder_that_has_just_changed_does_not_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ahead_s: float
) -> None:
    Clock(monkeypatch, ahead_s)
    (tmp_path / "a.json").write_text("{}")
    for size in range(2, 6):
        assert sizes(tmp_path) == [size]
        append(tmp_path / "a.json")


def test_a_folder_does_not_rest_when_the_clock_was_set_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.json").write_text("{}")
    clock = Clock(monkeypatch, 1e6)
    assert sizes(tmp_path) == [2]
    append(tmp_path / "a.json")
    clock.ahead_s -= 100
    assert sizes(tmp_path) == [3]


@pytest.mark.parametrize(
    ("name", "wanted"),
    [("a.json", ["a.json", "not listed yet/a.json"]), ("a.zip", ["a.zip/b/c.json"])],
    ids=["file", "in an archive"],
)
def test_files_that_somebody_needs_are_looked_at_however_long_they_rested(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, wanted: list[str]
) -> None:
    (tmp_path / name).write_text("PK")
    Clock(monkeypatch, 1e6)
    assert sizes(tmp_path) == [2]
    append(tmp_path / name)
    folder_listing.look_again([tmp_path / path for path in wanted])
    assert sizes(tmp_path) == [3]


def test_folders_below_the_current_one_are_known_by_the_paths_of_their_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [tmp_path / name for name in ("a.json", "b/c/d.json")]
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text('{"traceEvents": []}')
    monkeypatch.chdir(tmp_path)
    Clock(monkeypatch, 1e6)
    before = [run.size_bytes for run in discover(Path())]
    for file in files:
        append(file)
    assert [run.size_bytes for run in discover(Path())] == before
    folder_listing.look_again([file for run in discover(Path()) for file in run.files])
    assert [run.size_bytes for run in discover(Path())] == [size + 1 for size in before]


def test_a_look_that_is_wanted_while_a_folder_is_listed_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.json").write_text("{}")
    Clock(monkeypatch, 1e6)
    assert sizes(tmp_path) == [2]
    append(tmp_path / "a.json")
    stamp = folder_listing._stamp

    def stamp_while_another_thread_wants_a_look(path: str) -> folder_listing.FolderStamp:
        folder_listing.look_again([tmp_path / "a.json"])
        return stamp(path)

    with monkeypatch.context() as patch:
        patch.setattr(folder_listing, "_stamp", stamp_while_another_thread_wants_a_look)
        assert sizes(tmp_path) == [2]
    assert sizes(tmp_path) == [3]


def test_entries_that_come_go_or_are_renamed_are_noticed_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.json").write_text("{}")
    Clock(monkeypatch, 1e6)
    assert sizes(tmp_path) == [2]
    (tmp_path / "b.json").write_text("{ }")
    os.utime(tmp_path, ns=(1, 1))
    assert sizes(tmp_path) == [2, 3]
    (tmp_path / "b.json").replace(tmp_path / "0.json")
    assert sizes(tmp_path) == [3, 2]
    (tmp_path / "0.json").unlink()
    assert sizes(tmp_path) == [2]


@given(changes=st.lists(st.tuples(st.integers(0, 3), NAMES, CHANGES), max_size=8))
def test_folders_at_rest_are_as_fresh_ones_once_they_are_looked_at(changes: list[tuple[int, str, str]]) -> None:
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(folder_listing, "_WORTH_A_THREAD", 2)
        patch.setattr(folder_listing, "processors", lambda: 2)
        clock = Clock(patch, 1e6)
        root, outside = Path(name) / "root", Path(name) / "outside"
        folders = [root / f"{number}" for number in range(4)]
        for path in (root, *folders, outside):
            path.mkdir()
        (outside / "file.json").write_text("{}")
        for path in (root, *folders):
            list_folder(str(path))
        assert folder_listing.states_ahead(str(root)) == {}
        for number, entry, what in changes:
            change(folders[number], outside, entry, what)
        for path in folders:  # names are those of now in any case
            listed, fresh = list_folder(str(path)), folder_listing._list(str(path))
            assert [file.name for file in listed.files] == [file.name for file in fresh.files]
            assert (listed.folders, listed.links, listed.is_store) == (fresh.folders, fresh.links, fresh.is_store)
        clock.ahead_s += 61
        states = folder_listing.states_ahead(str(root))
        assert states.keys() >= {str(path) for path in folders}
        for path in folders:
            assert list_folder(str(path), states) == folder_listing._list(str(path))


FORKED = """
import os, signal, sys
from tilescope.tiler.readers import folder_listing
folder_listing._WORTH_A_THREAD, folder_listing.processors = 1, lambda: 2
folder_listing.list_folder(sys.argv[1])
folder_listing.look_again([os.path.join(sys.argv[1], "a.json")])
assert folder_listing.states_ahead(sys.argv[1])
child = os.fork()
if not child:
    signal.alarm(10)
    os._exit(len(folder_listing.states_ahead(sys.argv[1])))
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_forked_process_does_not_wait_for_a_thread_that_it_lacks(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", FORKED, str(tmp_path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")


def test_entries_that_states_tell_are_those_of_a_listing(tmp_path: Path) -> None:
    for name in ("b.json", "a.csv", "notes", os.fsdecode(b"caf\xe9.json"), "op_summary.db"):
        (tmp_path / name).write_text("{}")
    os.utime(tmp_path / "b.json", ns=(1, -5))  # before 1970
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "folder.json").mkdir()
    state = folder_listing._state(str(tmp_path))
    assert state is not None
    assert folder_listing._plain_listing(state) == folder_listing._list(str(tmp_path))
    (tmp_path / "link.json").symlink_to("b.json")
    state = folder_listing._state(str(tmp_path))
    assert state is not None
    assert folder_listing._plain_listing(state) is None, "it is listed"


def test_bytes_that_are_no_state_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}")
    state = folder_listing._state(str(tmp_path))
    assert state is not None
    for length in range(1, len(state.entries)):
        with pytest.raises(ValueError, match=r"cut short|without an end"):
            _native.plain_entries(state.entries[:length])


@pytest.mark.parametrize("rest_ns", [-1, 1_000_000_000, (1 << 63) - 1])
def test_times_that_are_none_are_not_told_from_states(rest_ns: int) -> None:
    numbers = (0o100644, 1, 9_000_000_000, rest_ns, 0, 0)
    entry = b"a.json\0" + bytes([8, 1])  # a regular file, with its status
    assert _native.plain_entries(entry + struct.pack("<6q", *numbers)) is None
    whole = struct.pack("<6q", 0o100644, 1, 2, 3, 4, 5)
    assert _native.plain_entries(entry + whole) == ([("a.json", 1, 2_000_000_003, 4_000_000_005, False)], [], [])
