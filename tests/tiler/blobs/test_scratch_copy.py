"""ScratchSpace copies: what is held is there, and what all of them take on the disk is bounded."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import pytest

from tilescope.tiler.blobs import FileBlob, ScratchCopy, ScratchSpace
from tilescope.tiler.blobs.scratch_space import BLOCK_BYTES
from tilescope.tiler.errors import BlobChanged, BlobCut, BlobError

BLOCKS = 40


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("blobs") / "trace"
    path.write_bytes(Random(1).randbytes(BLOCKS * BLOCK_BYTES - 1234))
    return path


class CountingBlob(FileBlob):
    """Remembers which ranges were read."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.ranges: list[tuple[int, int]] = []

    def read(self, start: int, stop: int) -> bytes:
        self.ranges.append((start, stop))
        return super().read(start, stop)


@pytest.fixture
def blob(path: Path) -> Iterator[CountingBlob]:
    blob = CountingBlob(path)
    yield blob
    blob.close()


def test_what_is_held_is_there(tmp_path: Path, path: Path, blob: CountingBlob) -> None:
    content = path.read_bytes()
    copy = ScratchCopy(blob, ScratchSpace(tmp_path))
    for start, stop in ((0, 10), (BLOCK_BYTES - 1, BLOCK_BYTES + 1), (len(content) - 5, len(content) + 100), (3, 3)):
        with copy.hold(start, stop):
            assert os.pread(copy.fileno(), min(stop, len(content)) - start, start) == content[start:stop]
    copy.close()
    assert list(tmp_path.iterdir()) == []


def test_space_is_bounded_and_blocks_come_again(tmp_path: Path, path: Path, blob: CountingBlob) -> None:
    content = path.read_bytes()
    scratch = ScratchSpace(tmp_path, 4 * BLOCK_BYTES)
    copy = ScratchCopy(blob, scratch)
    for _ in range(2):
        for block in range(BLOCKS):
            start, stop = block * BLOCK_BYTES, min((block + 1) * BLOCK_BYTES, len(content))
            with copy.hold(start, stop):
                assert os.pread(copy.fileno(), stop - start, start) == content[start:stop]
                assert os.fstat(copy.fileno()).st_blocks * 512 <= 20 * BLOCK_BYTES  # with a piece that is coming
    assert scratch.present_bytes <= 4 * BLOCK_BYTES
    assert os.fstat(copy.fileno()).st_blocks * 512 <= 5 * BLOCK_BYTES
    copy.close()
    assert scratch.present_bytes == 0


def test_what_is_kept_stays(tmp_path: Path, path: Path, blob: CountingBlob) -> None:
    content = path.read_bytes()
    copy = ScratchCopy(blob, ScratchSpace(tmp_path, 3 * BLOCK_BYTES))
    copy.keep(0, 10)
    for block in range(BLOCKS):
        with copy.hold(block * BLOCK_BYTES, block * BLOCK_BYTES + 1):
            assert os.pread(copy.fileno(), 10, 0) == content[:10]
    copy.close()


def test_a_range_that_never_fits(tmp_path: Path, blob: CountingBlob) -> None:
    copy = ScratchCopy(blob, ScratchSpace(tmp_path, 4 * BLOCK_BYTES))
    with pytest.raises(BlobError, match="scratch space"), copy.hold(0, 5 * BLOCK_BYTES):
        pass
    copy.close()


def test_many_threads_at_once(tmp_path: Path, path: Path, blob: CountingBlob) -> None:
    content = path.read_bytes()
    copy = ScratchCopy(blob, ScratchSpace(tmp_path, 12 * BLOCK_BYTES))

    def look(seed: int) -> bool:
        random = Random(seed)
        for _ in range(60):
            start = random.randrange(len(content))
            stop = min(start + random.randrange(2 * BLOCK_BYTES), len(content))
            with copy.hold(start, stop):
                if os.pread(copy.fileno(), stop - start, start) != content[start:stop]:
                    return False
        return True

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(look, range(4)))
    copy.close()


def test_each_block_is_read_once_where_there_is_room(tmp_path: Path, path: Path, blob: CountingBlob) -> None:
    copy = ScratchCopy(blob, ScratchSpace(tmp_path))
    barrier = threading.Barrier(4)

    def look(_number: int) -> None:
        barrier.wait()
        with copy.hold(0, copy.size_bytes):
            pass

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(look, range(4)))
    assert sum(stop - start for start, stop in blob.ranges) == len(path.read_bytes())
    copy.close()


def test_an_object_that_changes(tmp_path: Path) -> None:
    path = tmp_path / "trace"
    path.write_bytes(b"x" * BLOCK_BYTES)
    blob = FileBlob(path)
    copy = ScratchCopy(blob, ScratchSpace(tmp_path / "scratch"))
    with path.open("ab") as file:
        file.write(b"y")
    with pytest.raises(BlobChanged), copy.hold(0, 1):
        pass
    copy.close()
    blob.close()


class ShortBlob(CountingBlob):
    """Sends one byte less than it should."""

    def read(self, start: int, stop: int) -> bytes:
        return super().read(start, stop)[:-1]


def test_bytes_that_are_lacking_are_no_zeros(tmp_path: Path, path: Path) -> None:
    blob = ShortBlob(path)
    copy = ScratchCopy(blob, ScratchSpace(tmp_path))
    for _ in range(2):  # the second time it is no more there than the first
        with pytest.raises(BlobCut, match="ends before its size"), copy.hold(0, 1):
            pass
    copy.close()
    blob.close()


def test_disks_that_give_no_parts_back(tmp_path: Path, blob: CountingBlob, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilescope.tiler.blobs.scratch_copy._MADV_REMOVE", None)
    copy = ScratchCopy(blob, ScratchSpace(tmp_path, 20 * BLOCK_BYTES))

    def hold_all() -> None:
        for block in range(BLOCKS):
            with copy.hold(block * BLOCK_BYTES, block * BLOCK_BYTES + 1):
                pass

    with pytest.raises(BlobError, match=r"no parts of files can be dropped in .* \(allow more with --scratch\)"):
        hold_all()
    copy.close()
