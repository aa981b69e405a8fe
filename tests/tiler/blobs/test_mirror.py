"""Mirrors: folders that stand for places, and what is opened in them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tilescope.tiler.blobs import (
    MAX_PAGE_ENTRIES,
    BlobEntry,
    BlobState,
    EntryPage,
    FileBlob,
    LocalPlace,
    Mirror,
    ScratchSpace,
    open_mirrored,
    register,
    unregister,
)
from tilescope.tiler.errors import ChangedTrace, TraceError


class CountingPlace(LocalPlace):
    """Counts what is opened."""

    opened = 0

    def open(self, name: str, state: BlobState | None = None) -> FileBlob:
        self.opened += 1
        return super().open(name, state)


@pytest.fixture
def place(tmp_path: Path) -> CountingPlace:
    folder = tmp_path / "place"
    (folder / "run").mkdir(parents=True)
    (folder / "run" / "trace").write_bytes(b"abc" * 1000)
    (folder / "empty").write_bytes(b"")
    return CountingPlace(folder)


@pytest.fixture
def mirror(tmp_path: Path, place: CountingPlace) -> Iterator[Mirror]:
    mirror = Mirror(tmp_path / "mirror", place, ScratchSpace(tmp_path / "scratch"))
    register(mirror)
    yield mirror
    unregister(mirror)


def test_files_are_listed_without_being_opened(mirror: Mirror, place: CountingPlace) -> None:
    state = mirror.refresh()
    assert (state.objects, state.refused, state.is_whole) == (2, 0, True)
    assert (mirror.folder / "run" / "trace").stat().st_size == 3000
    assert (mirror.folder / "run" / "trace").stat().st_blocks == 0
    assert place.opened == 0


def test_content_is_that_of_the_object(mirror: Mirror) -> None:
    mirror.refresh()
    file = open_mirrored(mirror.folder / "run" / "trace")
    assert file is not None
    with file:
        assert (file.read(4), file.seek(2999), file.read(9), file.seek(0), file.read(3)) == (
            b"abca",
            2999,
            b"c",
            0,
            b"abc",
        )
        assert file.read() == b"abc" * 999
    assert open_mirrored(Path("/elsewhere/trace")) is None
    with pytest.raises(TraceError, match=f"{mirror.place.address}/none: there is no such file"):
        open_mirrored(mirror.folder / "none")


def test_what_changes_has_another_time_and_is_no_mix(mirror: Mirror, place: CountingPlace) -> None:
    mirror.refresh()
    path = mirror.folder / "run" / "trace"
    before = path.stat().st_mtime_ns
    mirror.refresh()
    assert path.stat().st_mtime_ns == before
    (place.folder / "run" / "trace").write_bytes(b"xyz" * 1000)
    with pytest.raises(ChangedTrace):
        open_mirrored(path).read(3)  # type: ignore[union-attr]
    mirror.refresh()
    assert path.stat().st_mtime_ns != before
    assert open_mirrored(path).read(3) == b"xyz"  # type: ignore[union-attr]


def test_what_is_removed_goes(mirror: Mirror, place: CountingPlace) -> None:
    mirror.refresh()
    (place.folder / "run" / "trace").unlink()
    mirror.refresh()
    assert not (mirror.folder / "run" / "trace").exists()
    with pytest.raises(TraceError):
        open_mirrored(mirror.folder / "run" / "trace")


class HostilePlace(LocalPlace):
    """Lists what no folder has."""

    def __init__(self, folder: Path, pages: list[EntryPage]) -> None:
        super().__init__(folder)
        self.pages = pages

    def list(self, prefix: str = "", after: str | None = None, limit: int = MAX_PAGE_ENTRIES) -> EntryPage:
        return self.pages.pop(0)


def test_names_that_exclude_each_other_and_sizes_of_no_disk(tmp_path: Path) -> None:
    entries = (
        BlobEntry("a", 1, "1", 0),
        BlobEntry("a/b", 1, "1", 0),
        BlobEntry("c/d", 10**15, "1", 0),
        BlobEntry("e", 5, None, 10**18),
    )
    place = HostilePlace(tmp_path / "place", [EntryPage(entries, None, refused=3)])
    state = Mirror(tmp_path / "mirror", place, ScratchSpace(tmp_path)).refresh()
    assert state.objects == 4
    assert state.refused >= 4
    assert (tmp_path / "mirror" / "e").stat().st_mtime_ns // 10**9 == 10**9


def test_a_million_objects_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilescope.tiler.blobs.mirror.MAX_OBJECTS", 3)
    pages = [EntryPage((BlobEntry(f"{n}", 1, "1", 0),), f"{n}") for n in range(10)]
    state = Mirror(tmp_path / "mirror", HostilePlace(tmp_path, pages), ScratchSpace(tmp_path)).refresh()
    assert (state.objects, state.is_whole) == (3, False)
    assert len(pages) == 7
