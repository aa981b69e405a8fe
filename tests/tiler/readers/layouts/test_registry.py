"""Layouts of other packages: they are asked after ours, and their faults are a line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tilescope.tiler import plugins
from tilescope.tiler.readers import disk_folders, folder_listing, formats, logdir
from tilescope.tiler.readers.layouts import FileLabel, FileLayout, Folder, PlannedRun, RunFile, registry
from tilescope.tiler.readers.logdir import discover

JSON = b'{"traceEvents":[{"ph":"X","ts":1,"dur":2}]}'


def pairs(folder: Folder) -> Sequence[PlannedRun]:
    files = [RunFile(trace.path, FileLabel(host=trace.path.stem)) for trace in folder.traces]
    return [PlannedRun("pair*", files, side_files=[folder.path / "side.csv"], notes=["a note"])] if files else []


def fails(_folder: Folder) -> Sequence[PlannedRun]:
    raise RuntimeError("out of order")


def claims_too_much(folder: Folder) -> Sequence[PlannedRun]:
    return [PlannedRun("x*", [RunFile(folder.path / "elsewhere", FileLabel())])]


def claims_twice(folder: Folder) -> Sequence[PlannedRun]:
    return [PlannedRun(name, [RunFile(folder.traces[0].path, FileLabel())]) for name in ("x*", "y*")]


def claims_a_common_name(folder: Folder) -> Sequence[PlannedRun]:
    return [PlannedRun("pair", [RunFile(trace.path, FileLabel()) for trace in folder.traces])] if folder.traces else []


def fails_to_look(_head: bytes) -> object:
    raise RuntimeError("too dark")


@pytest.fixture
def offer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[list[object]]:
    """Takes what a package offers."""
    offered: list[object] = []
    caches = (registry.layouts, formats._registry, disk_folders._look_into, folder_listing._looked_into)

    def load(group: str, _what: str) -> Iterator[plugins.Offered]:
        if group == registry.ENTRY_POINTS:
            yield plugins.Offered("toys:LAYOUTS", offered)

    monkeypatch.setattr(registry, "load_plugins", load)
    for cache in caches:
        cache.cache_clear()
    logdir._KEPT_RUNS.clear()
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_bytes(JSON)
    yield offered
    for cache in caches:
        cache.cache_clear()
    logdir._KEPT_RUNS.clear()


def test_a_layout_of_another_package(offer: list[object], tmp_path: Path) -> None:
    offer.append(FileLayout("pairs", "pairs", pairs))
    (run,) = discover(tmp_path)
    assert (run.hosts, run.notes) == (("a", "b"), ("a note",))
    assert run.side_files == (tmp_path / "side.csv",)


@pytest.mark.parametrize(
    ("layout", "line"),
    [
        (
            FileLayout("bad", "bad", fails),
            r"the layout 'bad' is passed over: it failed.* \(RuntimeError: out of order\)",
        ),
        (FileLayout("bad", "bad", claims_too_much), "it claims a file twice, or one that it was not shown"),
        (FileLayout("bad", "bad", claims_twice), "it claims a file twice, or one that it was not shown"),
        (FileLayout("bad", "bad", lambda _folder: [PlannedRun("x", [])]), "it has a run without files"),
        (FileLayout("bad", "bad", claims_a_common_name), r"its run 'pair' has no \* in its name"),
        (FileLayout("bad", "bad", lambda _folder: ["x"]), "a str is no run"),  # type: ignore[list-item]
        (FileLayout("bad", "bad", lambda _folder: [], look=fails_to_look), "too dark"),
        (FileLayout("no id", "bad", pairs), "'no id' is no id"),
        (FileLayout("pytorch", "bad", pairs), "there is one of that name"),
        ("text", "a str is no layout"),
    ],
)
def test_what_is_wrong_with_one_is_said_and_the_files_stay(
    offer: list[object], tmp_path: Path, layout: object, line: str
) -> None:
    offer.append(layout)
    assert {run.name for run in discover(tmp_path)} == {"a.json", "b.json"}
    (complaint,) = formats.left_out()
    assert re.search(line, complaint)
