"""Runs in log directories, run folders, folders of traces and archives."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import zipfile
from pathlib import Path

import pytest

from tilescope.tiler.errors import TraceError
from tilescope.tiler.readers.fingerprint import stamps_digest
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


def test_copies_of_a_host_are_left_out_and_named(tmp_path: Path) -> None:
    folder = tmp_path / "plugins" / "profile" / "r"
    put(folder / "h.xplane.pb")
    put(folder / "h.trace.json.gz", JSON)
    put(folder / "perfetto_trace.json.gz", JSON)
    (run,) = discover(tmp_path)
    assert [file.name for file in run.files] == ["h.xplane.pb"]
    assert run.notes == (
        "h.trace.json.gz is left out: it is a copy of h.xplane.pb",
        "perfetto_trace.json.gz is left out: it is a copy of h.xplane.pb",
    )


def test_other_traces_beside_an_xspace_are_files_of_the_run(tmp_path: Path) -> None:
    folder = tmp_path / "plugins" / "profile" / "r"
    for name in ("hostA.xplane.pb", "hostB.trace.json.gz", "kernels.trace.json", "driver.json", "types.json"):
        put(folder / name, b"[1, 2]" if name == "types.json" else JSON if "json" in name else XSPACE)
    (run,) = discover(tmp_path)
    assert run.hosts == ("driver", "hostA", "hostB", "kernels")
    assert run.notes == ()


def test_an_empty_file_adds_no_host(tmp_path: Path) -> None:
    folder = tmp_path / "plugins" / "profile" / "r"
    put(folder / "hostA.xplane.pb")
    put(folder / "hostB.xplane.pb", b"")
    put(folder / "hostB.trace.json.gz", JSON)
    (run,) = discover(tmp_path)
    assert run.hosts == ("hostA", "hostB")
    assert run.files[1].name == "hostB.trace.json.gz"
    assert run.notes == ("hostB.xplane.pb is left out: it is empty",)


def test_nothing_but_empty_files_is_a_run_all_the_same(tmp_path: Path) -> None:
    put(tmp_path / "plugins" / "profile" / "r" / "h.xplane.pb", b"")
    (run,) = discover(tmp_path)
    assert (run.hosts, run.notes) == (("h",), ())


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
    assert run.notes == ("h.xplane.pb.gz is left out: it is a copy of h.xplane.pb",)


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


def archived(path: Path, **members: bytes) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


def test_an_archive_of_a_log_directory_is_what_the_folder_is(tmp_path: Path) -> None:
    run_path = "logs/plugins/profile/2026_01_31_10_00_00/"
    members = {"h.xplane.pb": XSPACE, "h.trace.json.gz": gzip.compress(JSON), "perfetto_trace.json.gz": JSON}
    path = archived(tmp_path / "logs.tgz", **{run_path + name: data for name, data in members.items()})
    (run,) = discover(path)
    assert (run.path, run.name, run.hosts) == (path, "logs.tgz", ("h",))
    assert run.files == (path / run_path / "h.xplane.pb",)
    assert len(run.notes) == 2


def test_several_runs_in_an_archive_are_several_runs(tmp_path: Path) -> None:
    members = {f"logs/train/plugins/profile/2026_01_3{day}_10_00_00/h.xplane.pb": XSPACE for day in (0, 1)}
    path = archived(tmp_path / "logs.tgz", **members, **{"logs/bench.json": JSON})
    runs = discover(path)
    assert [run.name for run in runs] == [
        "logs.tgz",
        "logs.tgz/logs/train/2026_01_31_10_00_00",
        "logs.tgz/logs/train/2026_01_30_10_00_00",
    ]
    assert [run.hosts for run in runs] == [("bench",), ("h",), ("h",)]
    assert [run.id for run in discover(tmp_path)] == [run.id for run in runs]
    (named,) = discover(runs[1].path)
    assert (named.id, named.files) == (runs[1].id.replace("logs.tgz-logs-train-", ""), runs[1].files)
    (member,) = discover(path / "logs" / "bench.json")
    assert member.files == (path / "logs" / "bench.json",)
    with pytest.raises(TraceError, match="no such file"):
        discover(path / "elsewhere")


@pytest.mark.parametrize(("name", "top"), [("plugins/profile/x.zip", ""), ("y.zip", "plugins/profile/run")])
def test_other_traces_below_a_run_in_an_archive_are_files_of_it(tmp_path: Path, name: str, top: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{top}/h.xplane.pb".lstrip("/"), XSPACE)
        archive.writestr(f"{top}/sub/other.json".lstrip("/"), JSON)
    (run,) = discover(path / top)
    assert (run.path, run.hosts) == (path / top, ("h", "other"))


def test_members_come_in_natural_order(tmp_path: Path) -> None:
    path = archived(tmp_path / "a.tgz", **{f"host{k}.json": JSON for k in (10, 2, 1)})
    (run,) = discover(path)
    assert run.hosts == ("host1", "host2", "host10")


def test_a_file_is_one_run_whatever_it_holds(tmp_path: Path) -> None:
    path = put(tmp_path / "whatever", b"no trace")
    (run,) = discover(path)
    assert (run.name, run.files) == ("whatever", (path,))


def test_nothing_there(tmp_path: Path) -> None:
    assert discover(tmp_path) == []
    with pytest.raises(TraceError, match="no such file or folder"):
        discover(tmp_path / "none")


def test_the_digest_of_a_run_is_that_of_its_files(tmp_path: Path) -> None:
    put(tmp_path / "a" / "plugins" / "profile" / "r" / "hostB.xplane.pb", age_s=5)
    put(tmp_path / "a" / "plugins" / "profile" / "r" / "hostA.xplane.pb")
    put(tmp_path / "single.json", JSON, age_s=9)
    (tmp_path / "link.json").symlink_to("single.json")
    runs = discover(tmp_path)
    assert [run.name for run in runs] == ["a/r", "link.json", "single.json"]
    assert [run.stamps_digest for run in runs] == [stamps_digest(run.files) for run in runs]
    os.utime(tmp_path / "single.json", ns=(1, 1))
    (single,) = (run for run in discover(tmp_path) if run.name == "single.json")
    assert single.stamps_digest == stamps_digest(single.files) != runs[-1].stamps_digest
