"""Links to folders: which a search follows, which it refuses, and that it ends."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec import structs

from tests.tiler.readers.layouts.rank_traces import put
from tilescope.tiler.errors import TraceError
from tilescope.tiler.readers import disk_folders
from tilescope.tiler.readers.disk_folders import FolderWalk
from tilescope.tiler.readers.logdir import discover

_HOST = b"\n\x06\x12\x04abcd"


def link(place: Path, target: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(os.path.relpath(target, place.parent))


def shown(root: Path) -> list[str]:
    return ["/".join(folder.parts) for folder in FolderWalk(root)]


@pytest.mark.parametrize("hidden", ["", "."])
def test_a_log_directory_of_links_has_the_runs_of_several_hosts(tmp_path: Path, hidden: str) -> None:
    for host in ("h0", "h1"):
        put(tmp_path / f"{hidden}data" / "monday" / f"{host}.xplane.pb", _HOST)
    link(tmp_path / "plugins" / "profile" / "first", tmp_path / f"{hidden}data" / "monday")
    (run,) = discover(tmp_path)  # the folder that is not hidden is not listed once more
    assert (run.hosts, run.path) == (("h0", "h1"), tmp_path / "plugins" / "profile" / "first")
    assert discover(run.path)[0].hosts == run.hosts


def test_a_folder_behind_a_run_of_a_link_keeps_what_that_does_not_show(tmp_path: Path) -> None:
    for host in ("h0", "h1"):
        put(tmp_path / "data" / "monday" / f"{host}.xplane.pb", _HOST)
    put(tmp_path / "data" / "tuesday" / "h0.xplane.pb", _HOST)
    put(tmp_path / "data" / "monday" / "before" / "h0.xplane.pb", _HOST)
    for name in ("first", "latest"):  # the second is no other run
        link(tmp_path / "plugins" / "profile" / name, tmp_path / "data" / "monday")
    assert sorted(run.name for run in discover(tmp_path)) == [
        "data/tuesday/h0.xplane.pb",
        "first",
        "plugins/profile/first/before/h0.xplane.pb",
    ]
    assert len(discover(tmp_path / "data")) == 4


def test_a_link_to_a_run_that_is_listed_is_no_second_one(tmp_path: Path) -> None:
    runs = tmp_path / "plugins" / "profile"
    put(runs / "2026_11_29_10_00_00" / "h.xplane.pb", _HOST)
    link(runs / "latest", runs / "2026_11_29_10_00_00")
    link(tmp_path / "also", runs)
    assert [run.name for run in discover(tmp_path)] == ["2026_11_29_10_00_00"]


def test_a_link_that_leads_out_is_named_with_the_folder_to_name(tmp_path: Path) -> None:
    put(tmp_path / "out" / "run" / "h.xplane.pb", _HOST)
    link(tmp_path / "logs" / "plugins" / "profile" / "far", tmp_path / "out" / "run")
    with pytest.raises(TraceError) as refusal:
        discover(tmp_path / "logs")
    assert str(refusal.value) == (
        f"{tmp_path / 'logs'}: has no trace that can be read: plugins/profile/far is left out: "
        f"it leads out of what is served (name {tmp_path / 'out' / 'run'})"
    )
    put(tmp_path / "logs" / "plugins" / "profile" / "near" / "h.xplane.pb", _HOST)
    (run,) = discover(tmp_path / "logs")
    assert run.notes == ("plugins/profile/far is left out: it leads out of what is served",)
    assert len(discover(tmp_path / "logs", is_served=lambda link: True)) == 2


def test_a_link_to_itself_takes_no_folder_away(tmp_path: Path) -> None:
    put(tmp_path / "h.xplane.pb", _HOST)
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "up").symlink_to("..")
    (tmp_path / "here").symlink_to(".")
    (run,) = discover(tmp_path)
    assert "up is left out: it leads out of what is served" in run.notes
    assert discover(tmp_path, is_served=lambda link: True) == [structs.replace(run, notes=())]


@settings(max_examples=30, deadline=None)
@example(links=[(0, 5), (1, 3), (5, 1)])
@given(links=st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=24))
def test_each_folder_is_shown_and_no_search_grows_without_end(
    tmp_path_factory: pytest.TempPathFactory, links: list[tuple[int, int]]
) -> None:
    """Folders that lead to each other, hidden or not: each that can be reached is shown, twice at most."""
    root = tmp_path_factory.mktemp("links")
    folders = [root / f"{'.' if number % 2 else ''}f{number}" for number in range(8)]
    for number, folder in enumerate(folders):
        put(folder / f"{number}.json", b"{}")
    for number, (source, target) in enumerate(links):
        link(folders[source] / "plugins" / "profile" / f"l{number}", folders[target])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(disk_folders, "_MAX_DEPTH", 100)  # each link is three folders further down
        names = [file.name for folder in FolderWalk(root) for file in folder.files]
    reached = {number for number in range(8) if not number % 2}
    for _ in folders:
        reached |= {target for source, target in links if source in reached}
    assert {int(name.removesuffix(".json")) for name in names} == reached
    assert len(names) <= 2 * len(folders)
