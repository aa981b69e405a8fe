"""Runs in log directories, run folders, folders of traces and archives."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest

from tilescope.tiler.errors import TraceError
from tilescope.tiler.readers.logdir import discover

XSPACE = b"\n\x06\x12\x04abcd"
JSON = b'{"traceEvents":[{"ph":"X","ts":1,"dur":2}]}'


def put(path: Path, data: bytes = XSPACE, *, age_s: int = 0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    os.utime(path, ns=((10**9 - age_s) * 10**9,) * 2)
    return path


def test_log_directory_newest_first(tmp_path: Path) -> None:
    profile = tmp_path / "plugins" / "profile"
    old = profile / "2026_01_30_10_00_00"
    new = profile / "2026_01_31_10_00_00"
    put(new / "hostB.xplane.pb", age_s=500)
    put(new / "hostA.xplane.pb", age_s=400)
    put(old / "hostA.xplane.pb")
    put(tmp_path / "events.out.tfevents.1", b"x")
    runs = discover(tmp_path)
    assert [run.name for run in runs] == ["2026_01_31_10_00_00", "2026_01_30_10_00_00"]
    run = runs[0]
    assert run.path == new
    assert run.hosts == ("hostA", "hostB")
    assert run.files == (new / "hostA.xplane.pb", new / "hostB.xplane.pb")
    assert run.size_bytes == 2 * len(XSPACE)
    assert run.modified_ns == (10**9 - 400) * 10**9
    assert run.id.startswith("2026_01_31_10_00_00-")
    assert len(run.id.rsplit("-", 1)[1]) == 8


def test_a_run_keeps_its_id_however_it_is_reached(tmp_path: Path) -> None:
    put(tmp_path / "plugins" / "profile" / "run one" / "h.xplane.pb")
    (from_logdir,) = discover(tmp_path)
    (from_plugins,) = discover(tmp_path / "plugins")
    (from_run,) = discover(tmp_path / "plugins" / "profile" / "run one")
    assert from_logdir.id == from_plugins.id == from_run.id
    assert from_logdir.id.startswith("run-one-")


def test_log_directories_below_are_named_as_tensorboard_does(tmp_path: Path) -> None:
    put(tmp_path / "exp" / "train" / "plugins" / "profile" / "r1" / "h.xplane.pb")
    put(tmp_path / "plugins" / "profile" / "r2" / "h.xplane.pb", age_s=10)
    assert [run.name for run in discover(tmp_path)] == ["exp/train/r1", "r2"]


def test_json_beside_an_xspace_is_ignored_and_noted(tmp_path: Path) -> None:
    folder = tmp_path / "plugins" / "profile" / "r"
    put(folder / "h.xplane.pb")
    put(folder / "h.trace.json.gz", JSON)
    put(folder / "perfetto_trace.json.gz", JSON)
    (run,) = discover(tmp_path)
    assert [file.name for file in run.files] == ["h.xplane.pb"]
    assert [note.split()[0] for note in run.notes] == ["h.trace.json.gz"]


def test_json_alone_makes_a_run_of_all_hosts(tmp_path: Path) -> None:
    folder = tmp_path / "plugins" / "profile" / "r"
    put(folder / "a.trace.json.gz", JSON)
    put(folder / "b.trace.json", JSON)
    (run,) = discover(tmp_path)
    assert run.hosts == ("a", "b")
    assert run.notes == ()


def test_plain_file_wins_over_its_compressed_twin(tmp_path: Path) -> None:
    folder = tmp_path / "plugins" / "profile" / "r"
    put(folder / "h.xplane.pb.gz")
    put(folder / "h.xplane.pb")
    put(folder / "i.xplane.pb.gz")
    (run,) = discover(folder)
    assert [file.name for file in run.files] == ["h.xplane.pb", "i.xplane.pb.gz"]


def test_plain_traces_are_a_run_each(tmp_path: Path) -> None:
    put(tmp_path / "a.xplane.pb", age_s=3)
    put(tmp_path / "b.json", JSON, age_s=2)
    put(tmp_path / "sub" / "c.json", JSON, age_s=1)
    put(tmp_path / "broken.xplane.pb", b"\x99 random", age_s=4)
    put(tmp_path / "package.json", b'{"name": "x"}')
    put(tmp_path / "notes.txt", b"text")
    put(tmp_path / ".hidden.json", JSON)
    put(tmp_path / ".git" / "d.json", JSON)
    assert [run.name for run in discover(tmp_path)] == ["sub/c.json", "b.json", "a.xplane.pb", "broken.xplane.pb"]


def test_a_store_holds_no_traces(tmp_path: Path) -> None:
    put(tmp_path / "store" / "CURRENT", b"1")
    put(tmp_path / "store" / "gen" / "a.json", JSON)
    assert discover(tmp_path) == []


def test_members_of_an_archive_are_files_of_one_run(tmp_path: Path) -> None:
    path = tmp_path / "pair.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x/host0.json", JSON)
        archive.writestr("x/host1.json", JSON)
        archive.writestr("x/readme.txt", "hello")
    (run,) = discover(path)
    assert run.files == (path / "x/host0.json", path / "x/host1.json")
    assert run.hosts == ("host0", "host1")
    assert run.size_bytes == path.stat().st_size
    assert discover(tmp_path)[0].id == run.id


def test_a_file_is_one_run_whatever_it_holds(tmp_path: Path) -> None:
    path = put(tmp_path / "whatever", b"no trace")
    (run,) = discover(path)
    assert (run.name, run.files) == ("whatever", (path,))


def test_nothing_there(tmp_path: Path) -> None:
    assert discover(tmp_path) == []
    with pytest.raises(TraceError, match="no such file or folder"):
        discover(tmp_path / "none")
