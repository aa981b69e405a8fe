"""Mapped files that shrink: guarded ones are told, others end the process as before.

What is not there of a copy is an error.
"""

from __future__ import annotations

import mmap
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tilescope.tiler.blobs import FileBlob, ScratchCopy, ScratchSpace
from tilescope.tiler.blobs.scratch_space import BLOCK_BYTES
from tilescope.tiler.errors import ChangedTrace, TraceError
from tilescope.tiler.readers.mapped import MappedBytes
from tilescope.tiler.readers.source import ByteSource
from tilescope.tiler.system import mapped_bytes

SIZE = 1 << 20
COPIED = 5 * BLOCK_BYTES - 7

# Reads a guarded map and then one that is not, of a file that was cut to nothing.
UNGUARDED = """
import mmap, os, sys
import numpy as np
from tilescope.tiler import _native
file = open(sys.argv[1], "r+b")
guarded, bare = (np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), np.uint8) for _ in range(2))
guard = _native.GuardedMap(guarded)
os.truncate(sys.argv[1], 0)
print(int(guarded.sum()), guard.broken, flush=True)
print(int(bare.sum()), flush=True)
"""

# Writes to a guarded map, which is only read.
WRITING = """
import ctypes, mmap, sys
import numpy as np
from tilescope.tiler import _native
file = open(sys.argv[1], "rb")
guarded = np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)
guard = _native.GuardedMap(guarded)
print(int(guarded.sum()), flush=True)
ctypes.memset(guarded.ctypes.data, 0, 1)
print("written", flush=True)
"""


def mapped(source: ByteSource) -> MappedBytes:
    steps = MappedBytes.mapping(source, None)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "host.xplane.pb"
    file.write_bytes(b"\x01" * SIZE)
    return file


@pytest.mark.parametrize("size", [0, 1, 4096, 5000, SIZE - 1])
def test_a_file_that_shrinks_reads_as_zeros_and_has_changed(path: Path, size: int) -> None:
    with ByteSource.open(path) as source:
        bytes_of_it = mapped(source)
        bytes_of_it.check()
        assert bytes_of_it.array.sum() == SIZE
        os.truncate(path, size)
        assert bytes_of_it.array.sum() == size
        assert bytes_of_it.array[SIZE // 3 :].sum() == max(0, size - SIZE // 3)
        with pytest.raises(ChangedTrace, match="changed while it was read"):
            bytes_of_it.check()
        bytes_of_it.release(0, SIZE)
        bytes_of_it.close()


def test_a_file_that_is_as_it_was_and_gives_no_bytes_cannot_be_read(path: Path) -> None:
    with ByteSource.open(path) as source:
        bytes_of_it = mapped(source)
        written_ns = path.stat().st_mtime_ns
        os.truncate(path, 0)
        assert bytes_of_it.array.sum() == 0  # as where a disk fails
        os.truncate(path, SIZE)
        os.utime(path, ns=(0, written_ns))
        for check in (bytes_of_it.check, bytes_of_it.check_whole):
            with pytest.raises(TraceError, match="a part of it cannot be read") as error:
                check()
            assert not isinstance(error.value, ChangedTrace)
        bytes_of_it.close()


def test_a_file_that_is_written_has_changed(path: Path) -> None:
    with ByteSource.open(path) as source:
        bytes_of_it = mapped(source)
        with path.open("r+b") as file:
            file.write(b"\x02")
        os.utime(path, ns=(0, 0))
        with pytest.raises(ChangedTrace):
            bytes_of_it.check()
        bytes_of_it.close()


@pytest.mark.parametrize("options", [[], ["-X", "faulthandler"]])
def test_other_maps_still_end_the_process_as_they_did(path: Path, options: list[str]) -> None:
    # Under AddressSanitizer the process would end by its handler of SIGBUS, not by the one that was there before ours.
    environment = os.environ | {"ASAN_OPTIONS": f"{os.environ.get('ASAN_OPTIONS', '')}:handle_sigbus=0"}
    command: list[str | Path] = [sys.executable, "-P", *options, "-c", UNGUARDED, path]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.stdout == "0 True\n"
    assert done.returncode == -signal.SIGBUS
    assert ("Fatal Python error: Bus error" in done.stderr) is bool(options)


@pytest.fixture
def copied(tmp_path: Path) -> Iterator[tuple[ScratchCopy, MappedBytes]]:
    """A map of the copy of an object of ones, which may have two blocks at a time."""
    file = tmp_path / "object"
    file.write_bytes(b"\x01" * COPIED)
    with closing(FileBlob(file)) as blob:
        copy = ScratchCopy(blob, ScratchSpace(tmp_path / "scratch", 2 * BLOCK_BYTES))
        mapping = mmap.mmap(copy.fileno(), COPIED, access=mmap.ACCESS_READ)
        bytes_of_it = MappedBytes(file, mapping, copy=copy)
        yield copy, bytes_of_it
        bytes_of_it.close()
        copy.close()


def test_what_is_held_of_a_copy_can_be_read(copied: tuple[ScratchCopy, MappedBytes]) -> None:
    _, bytes_of_it = copied
    for _ in range(2):
        for start in range(0, COPIED, BLOCK_BYTES):
            stop = min(start + BLOCK_BYTES, COPIED)
            with bytes_of_it.hold(start, stop):
                assert bytes_of_it.array[start:stop].sum() == stop - start
            bytes_of_it.check()


@pytest.mark.parametrize("is_dropped", [False, True])
def test_what_is_not_in_a_copy_is_an_error_and_no_zeros(
    copied: tuple[ScratchCopy, MappedBytes], is_dropped: bool
) -> None:
    _, bytes_of_it = copied
    if is_dropped:
        with bytes_of_it.hold(0, 1):
            assert bytes_of_it.array[0] == 1
    with bytes_of_it.hold(2 * BLOCK_BYTES, 4 * BLOCK_BYTES):
        bytes_of_it.check()
        assert bytes_of_it.array[0] == 0
        with pytest.raises(TraceError, match="a part was read that is not in its copy"):
            bytes_of_it.check()


def test_a_copy_that_is_mapped_no_more_is_guarded_no_more(copied: tuple[ScratchCopy, MappedBytes]) -> None:
    copy, bytes_of_it = copied
    array = bytes_of_it.array
    bytes_of_it.close()
    with copy.hold(0, COPIED // 4):
        assert array[: COPIED // 4].sum() == COPIED // 4


def test_a_file_that_is_cut_may_be_read_backwards(tmp_path: Path) -> None:
    """Each page that is read is one more that is not there."""
    file = tmp_path / "host.xplane.pb"
    file.write_bytes(b"\x01" * (2000 * mmap.PAGESIZE))
    with ByteSource.open(file) as source:
        bytes_of_it = mapped(source)
        os.truncate(file, 0)
        assert not any(bytes_of_it.array[place] for place in range(len(bytes_of_it) - 1, -1, -mmap.PAGESIZE))
        with pytest.raises(ChangedTrace):
            bytes_of_it.check()
        bytes_of_it.close()


@pytest.mark.parametrize("options", [[], ["-X", "faulthandler"]])
def test_a_map_that_is_written_to_still_ends_the_process(path: Path, options: list[str]) -> None:
    environment = os.environ | {"ASAN_OPTIONS": f"{os.environ.get('ASAN_OPTIONS', '')}:handle_segv=0"}
    command: list[str | Path] = [sys.executable, "-P", *options, "-c", WRITING, path]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.stdout == f"{SIZE}\n"
    assert done.returncode == -signal.SIGSEGV
    assert ("Fatal Python error: Segmentation fault" in done.stderr) is bool(options)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells which pages are resident")
def test_what_the_system_maps_beside_short_pieces_is_given_back_as_well(tmp_path: Path) -> None:
    file = tmp_path / "pod.xplane.pb"
    file.write_bytes(b"\x01" * (32 << 20))
    with ByteSource.open(file) as source:
        bytes_of_it = mapped(source)
        before = mapped_bytes()
        for at in range(0, 32 << 20, 300_000):
            assert bytes_of_it.array[at + 7 : at + 9].sum() == 2
            bytes_of_it.release(at + 7, at + 9)
        assert mapped_bytes() - before < 4 << 20
        bytes_of_it.close()
