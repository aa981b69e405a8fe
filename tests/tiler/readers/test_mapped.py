"""Mapped files that shrink: guarded ones are told, others end the process as before."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tilescope.tiler.errors import ChangedTrace
from tilescope.tiler.readers.mapped import MappedBytes
from tilescope.tiler.readers.source import ByteSource
from tilescope.tiler.system import mapped_bytes

SIZE = 1 << 20

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
