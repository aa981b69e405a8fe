"""An upload on the disk: it goes on after whatever ended the server, and appears whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.server.errors import InUse, NotFound
from tilescope.server.uploads.plan import Plan, PlannedFile
from tilescope.server.uploads.upload import UploadFolder

PLAN = Plan(
    "127.0.0.1", 10**18, [PlannedFile("run/a", 5, 1000), PlannedFile("run/x/b", 0, 2000), PlannedFile("run/c", 3, 0)]
)


def whole(folder: Path) -> UploadFolder:
    upload = UploadFolder.make(folder, PLAN)
    upload.append(0, 0, b"he")
    upload.append(0, 2, b"llo")
    upload.append(2, 0, b"abc")
    return upload


def content_of(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_it_is_listed_when_all_has_come(tmp_path: Path) -> None:
    upload = UploadFolder.make(tmp_path / "u", PLAN)
    upload.append(0, 0, b"hello")
    with pytest.raises(InUse, match="3 bytes have not come"):
        upload.list()
    assert not upload.is_listed
    assert not upload.root.exists()
    upload.append(2, 0, b"abc")
    upload.list()
    assert content_of(upload.root) == {"a": b"hello", "x/b": b"", "c": b"abc"}
    assert (upload.root / "a").stat().st_mtime == 1
    assert sorted(path.name for path in (tmp_path / "u").iterdir()) == ["files", "plan.json"]
    upload.list()  # asked again, as the answer was lost
    assert UploadFolder.load(tmp_path / "u").received_bytes() == [5, 0, 3]


def test_bytes_are_taken_where_the_others_end(tmp_path: Path) -> None:
    upload = UploadFolder.make(tmp_path / "u", PLAN)
    upload.append(0, 0, b"he")
    for start in (0, 1, 3):
        with pytest.raises(InUse, match="2 bytes"):
            upload.append(0, start, b"xx")
    assert UploadFolder.load(tmp_path / "u").received_bytes() == [2, 0, 0]


@given(moved=st.integers(0, 3))
def test_a_server_that_died_while_it_listed_goes_on(tmp_path_factory: pytest.TempPathFactory, moved: int) -> None:
    folder = tmp_path_factory.mktemp("uploads") / "u"
    upload = whole(folder)
    for number, file in list(enumerate(PLAN.files))[:moved]:
        target = folder / "files.part" / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        if file.size_bytes:
            (folder / "parts" / str(number)).rename(target)
        else:
            target.touch()
    upload = UploadFolder.load(folder)
    assert upload.received_bytes() == [5, 0, 3]
    assert not upload.is_listed
    upload.list()
    assert content_of(upload.root) == {"a": b"hello", "x/b": b"", "c": b"abc"}


def test_it_is_removed(tmp_path: Path) -> None:
    upload = whole(tmp_path / "u")
    upload.list()
    upload.remove()
    assert not (tmp_path / "u").exists()
    assert not upload.is_there
    with pytest.raises(NotFound):
        UploadFolder.load(tmp_path / "u")


def test_links_are_not_followed(tmp_path: Path) -> None:
    upload = UploadFolder.make(tmp_path / "u", PLAN)
    (tmp_path / "secret").write_bytes(b"")
    (tmp_path / "u" / "parts" / "0").symlink_to(tmp_path / "secret")
    with pytest.raises(OSError, match=r"."):
        upload.append(0, 0, b"x")
    assert (tmp_path / "secret").read_bytes() == b""


def test_folders_are_for_us_alone(tmp_path: Path) -> None:
    upload = whole(tmp_path / "u")
    upload.list()
    for path in [tmp_path / "u", *(tmp_path / "u").rglob("*")]:
        assert path.stat().st_mode & 0o077 == 0, path
