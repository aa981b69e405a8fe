"""A folder as a place: listings in pages, names that lead nowhere, files that are there whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilescope.tiler.blobs import BlobEntry, BlobPlace, LocalPlace
from tilescope.tiler.blobs.blob_name import name_problem
from tilescope.tiler.errors import BlobForbidden, BlobMissing, UsageError

NAMES = st.lists(st.text("ab./-é\U0001f600", min_size=1, max_size=8), max_size=20)


def entries(place: BlobPlace, prefix: str, limit: int) -> Iterator[BlobEntry]:
    after = None
    while True:
        page = place.list(prefix, after, limit)
        yield from page.entries
        after = page.next_after
        if after is None:
            return


@settings(max_examples=40)
@given(names=NAMES, prefix=st.text("ab/", max_size=3), limit=st.integers(1, 5))
def test_listings_are_those_of_object_stores(
    tmp_path_factory: pytest.TempPathFactory, names: list[str], prefix: str, limit: int
) -> None:
    folder = tmp_path_factory.mktemp("place")
    place = LocalPlace(folder)
    written = set()
    for name in filter(lambda name: name_problem(name) is None, names):
        path = folder / name
        if path.is_dir() or any(parent.is_file() for parent in path.parents):
            continue
        with place.put(name) as writer:
            writer.write(name.encode())
            writer.commit()
        written.add(name)
    expected = sorted((name for name in written if name.startswith(prefix)), key=str.encode)
    listed = list(entries(place, prefix, limit))
    assert [entry.name for entry in listed] == expected
    for entry in listed:
        assert entry.etag == place.open(entry.name).state().etag
        assert place.open(entry.name).read(0, 100) == entry.name.encode()


@pytest.mark.parametrize("name", ["", "..", "a/../b", "/etc/passwd", "a//b", "a\nb", "a/" + "b" * 300, "c/" * 600])
def test_names_that_no_object_has(tmp_path: Path, name: str) -> None:
    place = LocalPlace(tmp_path)
    with pytest.raises(UsageError):
        place.open(name)
    with pytest.raises(UsageError):
        place.put(name)
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_named_or_leads_out_is_counted(tmp_path: Path) -> None:
    folder, outside = tmp_path / "place", tmp_path / "outside"
    folder.mkdir()
    outside.write_text("secret")
    (folder / "a").write_text("1")
    (folder / "b\nc").write_text("2")
    (folder / "link").symlink_to(outside)
    (folder / "nowhere").symlink_to(folder / "none")
    (folder / "circle").symlink_to(folder)
    (folder / "near").symlink_to(folder / "a")
    os.mkfifo(folder / "pipe")
    (folder / os.fsdecode(b"\xff")).write_text("3")
    pages = [LocalPlace(folder).list(limit=1)]
    while (after := pages[-1].next_after) is not None:
        pages.append(LocalPlace(folder).list(after=after, limit=1))
    assert [entry.name for page in pages for entry in page.entries] == ["a", "near"]
    assert sum(page.refused for page in pages) == 6
    with pytest.raises(BlobForbidden, match="leads out"):
        LocalPlace(folder).open("link")


def test_nothing_is_there_before_commit_and_after_abort(tmp_path: Path) -> None:
    place = LocalPlace(tmp_path)
    with place.put("run/trace") as writer:
        writer.write(b"first")
        assert place.list().entries == ()
        assert writer.commit() == place.open("run/trace").state()
    with place.put("run/trace") as writer:
        writer.write(b"second")
    assert place.open("run/trace").read(0, 10) == b"first"
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["trace"]


def test_no_such_folder(tmp_path: Path) -> None:
    with pytest.raises(BlobMissing):
        LocalPlace(tmp_path / "none").list()
