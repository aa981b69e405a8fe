"""Folders of the hosts of a job, seconds apart: which are one run, and what it is called."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from tests.tiler.readers.layouts.rank_traces import put
from tilescope.tiler.errors import TraceError
from tilescope.tiler.readers import discover, find_run, join_runs
from tilescope.tiler.readers.layouts.capture_folders import CaptureFolder, join_folders
from tilescope.tiler.readers.logdir import separated_runs

XSPACE = b"\n\x06\x12\x04abcd"
DAY = "2026_01_31"


def put_hosts(profile: Path, **hosts_by_time: str) -> None:
    """Writes a folder for each time, as in `t04_47_36="AB"`, with a file for each host."""
    for time, hosts in hosts_by_time.items():
        for host in hosts:
            put(profile / f"{DAY}_{time[1:]}" / f"host{host}.xplane.pb", XSPACE)


def names_of(path: Path) -> dict[str, str]:
    """The hosts of each run, as letters."""
    return {run.name: "".join(host[-1] for host in run.hosts) for run in discover(path)}


def test_two_hosts_seconds_apart_are_one_run(tmp_path: Path) -> None:
    profile = tmp_path / "train" / "plugins" / "profile"
    put_hosts(profile, t04_47_38="A", t04_47_36="B")
    (run,) = discover(tmp_path)
    assert run.name == f"train/{DAY}_04_47_3*"
    assert run.path == profile / f"{DAY}_04_47_3*"
    assert run.hosts == ("hostA", "hostB")
    assert run.files == (profile / f"{DAY}_04_47_38/hostA.xplane.pb", profile / f"{DAY}_04_47_36/hostB.xplane.pb")
    assert run.size_bytes == 2 * len(XSPACE)
    assert run.notes == (
        f"2 folders seconds apart are one run: {DAY}_04_47_36 and {DAY}_04_47_38 (--separate shows each)",
    )
    assert run.is_unconfirmed
    assert find_run(run.path).files == run.files
    assert join_runs([profile / f"{DAY}_04_47_36", profile / f"{DAY}_04_47_38"]).files == run.files


def test_each_folder_is_a_run_where_they_are_separated_or_named(tmp_path: Path) -> None:
    profile = tmp_path / "plugins" / "profile"
    put_hosts(profile, t04_47_36="A", t04_47_38="B")
    runs = discover(tmp_path, separate=True)
    assert [run.name for run in runs] == [f"{DAY}_04_47_38", f"{DAY}_04_47_36"]
    assert not any(run.is_unconfirmed for run in runs)
    assert find_run(profile / f"{DAY}_04_47_36").hosts == ("hostA",)


@pytest.mark.parametrize("third", ["", "C"])
def test_folders_of_an_archive_are_separated_as_if_they_were_listed_so(tmp_path: Path, third: str) -> None:
    profile = tmp_path / "logs" / "train" / "plugins" / "profile"
    put_hosts(profile, t04_47_36="AB", t04_47_38="DE", **({"t09_00_00": third} if third else {}))
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for file in sorted(profile.rglob("*.pb")):
            archive.write(file, file.relative_to(tmp_path / "logs"))
    run = next(run for run in discover(tmp_path / "a.zip") if len(run.files) == 4)
    positions = [number for number, host in enumerate(run.hosts) if host in ("hostD", "hostE")]
    alone = {(each.id, each.name, each.path, each.files) for each in separated_runs(run, positions)}
    listed = {(each.id, each.name, each.path, each.files) for each in discover(tmp_path / "a.zip", separate=True)}
    assert len(alone) == 1
    assert alone <= listed


@pytest.mark.parametrize(
    ("folders", "hosts"),
    [
        ({"t04_47_36": "A", "t04_48_36": "B"}, ["AB"]),  # 60 s
        ({"t04_47_36": "A", "t04_48_37": "B"}, ["B", "A"]),
        ({"t04_47_36": "A", "t04_47_37": "A"}, ["A", "A"]),  # the same host
        ({"t04_47_36": "AB", "t04_47_37": "BC"}, ["BC", "AB"]),
        ({"t04_47_36": "AB", "t04_47_37": "CD"}, ["ABCD"]),
        ({"t04_47_30": "A", "t04_48_00": "B", "t04_48_30": "C", "t04_49_00": "D"}, ["D", "ABC"]),  # not in a chain
        ({"t04_47_36": "A", "t04_47_49": "B", "t04_47_50": "A"}, ["AB", "A"]),  # the nearest
        ({"t04_47_36": "A", "t04_47_38": "B", "t04_47_50": "A", "t04_47_52": "B"}, ["AB", "AB"]),
        ({"t04_47_59": "A", "t04_48_01": "B"}, ["AB"]),
    ],
)
def test_which_folders_are_one_run(tmp_path: Path, folders: dict[str, str], hosts: list[str]) -> None:
    put_hosts(tmp_path / "plugins" / "profile", **folders)
    assert list(names_of(tmp_path).values()) == hosts


def test_other_folders_are_not_joined(tmp_path: Path) -> None:
    put_hosts(tmp_path / "a" / "plugins" / "profile", t04_47_36="A")
    put_hosts(tmp_path / "b" / "plugins" / "profile", t04_47_37="B")  # of another log directory
    put(tmp_path / "a" / "plugins" / "profile" / "warmup" / "hostC.xplane.pb", XSPACE)  # its name is no time
    assert sorted(names_of(tmp_path).values()) == ["A", "B", "C"]


def test_a_run_keeps_its_id_when_a_folder_comes_within_ten_seconds(tmp_path: Path) -> None:
    put_hosts(tmp_path, t04_47_36="A", t04_47_38="B")
    (before,) = discover(tmp_path)
    put_hosts(tmp_path, t04_47_33="C", t04_47_41="D")
    (after,) = discover(tmp_path)
    assert (after.id, after.path, len(after.files)) == (before.id, before.path, 4)


def test_runs_of_the_same_ten_seconds_have_names_of_their_own(tmp_path: Path) -> None:
    put_hosts(tmp_path, t04_47_30="A", t04_47_31="B", t04_47_35="A", t04_47_36="B")
    assert list(names_of(tmp_path)) == [f"{DAY}_04_47_35*", f"{DAY}_04_47_30*"]


def test_a_name_of_folders_that_do_not_belong_together_is_none(tmp_path: Path) -> None:
    put_hosts(tmp_path, t04_47_36="A", t04_47_38="B")
    assert [run.path for run in discover(tmp_path / f"{DAY}_04_47_3*")] == [tmp_path / f"{DAY}_04_47_3*"]
    with pytest.raises(TraceError, match="no such file or folder"):
        discover(tmp_path / f"{DAY}_04_47_36*")


def test_many_folders_are_named_in_one_short_line() -> None:
    folders = [
        CaptureFolder(Path("x", f"{DAY}_04_47_{second}"), second, frozenset([str(second)])) for second in range(10, 40)
    ]
    (joined,) = join_folders(folders)
    assert joined.note.startswith(f"30 folders seconds apart are one run: {DAY}_04_47_10, {DAY}_04_47_11, ")
    assert joined.note.endswith(f"{DAY}_04_47_13 and 26 more (--separate shows each)")


def test_the_order_of_folders_does_not_matter() -> None:
    folders = [CaptureFolder(Path("x", f"t{second:02}"), second, frozenset("AB"[second % 2])) for second in range(60)]
    expected = join_folders(folders)
    assert join_folders(folders[::-1]) == expected
    assert [len(joined.folders) for joined in expected] == [2] * 30


def test_an_archive_is_searched_as_the_folder(tmp_path: Path) -> None:
    for time, host in (("36", "A"), ("38", "B"), ("59", "A")):
        put(tmp_path / "in" / "plugins" / "profile" / f"{DAY}_04_47_{time}" / f"host{host}.xplane.pb", XSPACE)
    archive = tmp_path / "log.zip"
    with zipfile.ZipFile(archive, "w") as writer:
        for file in sorted((tmp_path / "in").rglob("*.pb")):
            writer.write(file, file.relative_to(tmp_path / "in").as_posix())
    in_folder, in_archive = discover(tmp_path / "in"), discover(archive)
    assert [run.hosts for run in in_archive] == [run.hosts for run in in_folder] == [("hostA",), ("hostA", "hostB")]
    assert [run.notes for run in in_archive] == [run.notes for run in in_folder]
    assert find_run(in_archive[1].path).files == in_archive[1].files
    assert [len(run.files) for run in discover(archive, separate=True)] == [1, 1, 1]
