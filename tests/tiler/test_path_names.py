"""Names of paths in messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilescope.tiler import path_names


def test_only_the_last_folders_have_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(path_names, "_ADDRESSES", {})
    for number in range(path_names.MOST_FOLDERS):
        path_names.name_folder(Path(f"/mirrors/{number}"), f"s3://bucket/{number}/")
    path_names.name_folder(Path("/mirrors/0"), "s3://bucket/again")
    path_names.name_folder(Path("/mirrors/more"), "s3://bucket/more")
    assert path_names.path_name("/mirrors/1/a") == "/mirrors/1/a"
    assert path_names.path_name("/mirrors/0/a") == "s3://bucket/again/a"
    assert path_names.path_name("/mirrors/2") == "s3://bucket/2"
    assert path_names.with_addresses("see /mirrors/more/x") == "see s3://bucket/more/x"
