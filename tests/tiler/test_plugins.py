"""Entry points of other packages: whether a look at files says what importlib says."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from tilescope.tiler.plugins import load_plugins

GROUP = "tilescope.somethings"
ENTRY = f"[{GROUP}]\none = json:dumps\n"


@pytest.mark.parametrize("folder", ["a-1.0.dist-info", "a.egg-info", "a-1.0.egg/EGG-INFO"])
def test_packages_in_folders_are_found(folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not list(load_plugins(GROUP, "things"))
    info = tmp_path / folder
    info.mkdir(parents=True)
    for name in ("METADATA", "PKG-INFO"):
        (info / name).write_text("Metadata-Version: 2.1\nName: a\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY)
    (tmp_path / "b.egg-info").write_text("Metadata-Version: 2.1\nName: b\nVersion: 1.0\n")  # a file: nothing to offer
    monkeypatch.syspath_prepend(info.parent)
    assert [offered.source for offered in load_plugins(GROUP, "things")] == ["json:dumps"]


def test_packages_in_archives_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: a\nVersion: 1.0\n")
        archive.writestr("a-1.0.dist-info/entry_points.txt", ENTRY)
    monkeypatch.syspath_prepend(tmp_path / "a.zip")
    monkeypatch.syspath_prepend(tmp_path / "not-there")
    assert [offered.source for offered in load_plugins(GROUP, "things")] == ["json:dumps"]
