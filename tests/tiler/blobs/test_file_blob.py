"""A local file as a blob: one object, and its errors."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.blobs import Blob, BlobRange, FileBlob
from tilescope.tiler.errors import BlobChanged, BlobForbidden, BlobMissing

CONTENT = bytes(range(256)) * 10


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("blobs") / "trace"
    path.write_bytes(CONTENT)
    return path


@given(st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 3000))))
def test_ranges_are_those_of_the_file(path: Path, pairs: list[tuple[int, int]]) -> None:
    ranges = [BlobRange(min(pair), max(pair)) for pair in pairs]
    blob: Blob = FileBlob(path)
    assert blob.read_many(ranges) == [CONTENT[start:stop] for start, stop in ranges]
    assert b"".join(blob.stream()) == CONTENT
    assert b"".join(blob.stream(2559)) == CONTENT[2559:]
    assert blob.state().size_bytes == len(CONTENT)
    blob.close()


@pytest.mark.parametrize(("start", "stop"), [(-1, 4), (5, 4)])
def test_no_such_range(path: Path, start: int, stop: int) -> None:
    with pytest.raises(ValueError, match="no range of bytes"):
        FileBlob(path).read(start, stop)


def test_a_file_that_is_written_to_is_another_object(tmp_path: Path) -> None:
    path = tmp_path / "trace"
    path.write_bytes(b"first")
    blob = FileBlob(path)
    assert blob.read(0, 2) == b"fi"
    with path.open("ab") as file:
        file.write(b"second")
    with pytest.raises(BlobChanged, match="changed while it was read"):
        blob.read(2, 4)
    blob.close()


def test_a_file_that_is_replaced_is_read_to_its_end(tmp_path: Path) -> None:
    path, other = tmp_path / "trace", tmp_path / "other"
    path.write_bytes(b"first")
    blob = FileBlob(path)
    assert blob.read(0, 2) == b"fi"
    other.write_bytes(b"other")
    other.replace(path)
    assert blob.read(2, 5) == b"rst"
    assert FileBlob(path).state().etag != blob.state().etag
    blob.close()


def test_no_memory_is_taken_for_bytes_behind_the_end(path: Path) -> None:
    blob = FileBlob(path)
    assert blob.read(3, 1 << 60) == CONTENT[3:]
    blob.close()


def test_closing_leaves_readers_their_descriptor(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of a closed descriptor is given to the next file: it would be that one's bytes."""
    other = tmp_path / "other"
    other.write_bytes(b"\xff" * len(CONTENT))
    blob = FileBlob(path)
    opened: list[FileBlob] = []
    pread = os.pread

    def close_first(descriptor: int, count: int, offset: int) -> bytes:
        monkeypatch.undo()
        blob.close()
        opened.append(FileBlob(other))
        assert opened[0].state().size_bytes == len(CONTENT)
        return pread(descriptor, count, offset)

    monkeypatch.setattr(os, "pread", close_first)
    assert blob.read(0, 100) == CONTENT[:100]
    blob.close()
    opened[0].close()


def test_nothing_is_opened_again_after_closing(path: Path) -> None:
    blob = FileBlob(path)
    blob.close()
    for read in (blob.state, lambda: blob.read(0, 1), lambda: list(blob.stream())):
        with pytest.raises(ValueError, match="is closed"):
            read()


def test_descriptors_are_given_back(path: Path) -> None:
    blob = FileBlob(path)
    blob.read(0, 1)
    with path.open("rb") as file:
        highest = file.fileno()
    blob.close()
    with path.open("rb") as file:
        assert file.fileno() < highest


def test_missing(tmp_path: Path) -> None:
    with pytest.raises(BlobMissing, match="there is no such file"):
        FileBlob(tmp_path / "none").state()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_forbidden(tmp_path: Path) -> None:
    path = tmp_path / "trace"
    path.write_bytes(b"")
    path.chmod(0)
    with pytest.raises(BlobForbidden):
        FileBlob(path).state()
