"""Memory that is free goes back to the system when a build has nearly all it may have, and not before."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from typing import Final

import numpy as np
import pytest

from tilescope.tiler.indexing import free_memory
from tilescope.tiler.system import private_bytes

PIECE = 60_000  # bytes: pieces that malloc does not map one by one
PIECES = 2_000


@pytest.mark.parametrize("memory_bytes", [1 << 20, 1 << 30])
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc's malloc can be asked for it")
def test_what_is_free_between_pieces_is_given_back_when_memory_is_short(memory_bytes: int) -> None:
    free_memory.keep_free_memory(memory_bytes)
    pieces = [np.ones(PIECE, np.uint8) for _ in range(PIECES)]
    left = pieces[::16]  # at the end, too: what is free lies between what is not
    left.append(pieces[-1])
    del pieces
    full = private_bytes()
    free_memory.FreeMemory(10 * full).release_when_full()
    assert private_bytes() > full - PIECE * PIECES // 8, "there is enough"
    free_memory.FreeMemory(full).release_when_full()
    if "libasan" not in os.environ.get("LD_PRELOAD", ""):  # AddressSanitizer keeps what was freed
        assert private_bytes() < full - PIECE * PIECES // 2
    assert all(piece.all() for piece in left)


THREADS: Final = 8
BUSY: Final = """
import sys, threading
import numpy as np
from tilescope.tiler.indexing import free_memory
from tilescope.tiler.system import private_bytes

memory_bytes, threads, piece, pieces = map(int, sys.argv[1:])
free_memory.keep_free_memory(memory_bytes)
before = private_bytes()
together = threading.Barrier(threads)

def work() -> None:
    arrays = [np.ones(piece, np.uint8) for _ in range(pieces)]
    together.wait()
    del arrays
    together.wait()

running = [threading.Thread(target=work) for _ in range(threads)]
for thread in running:
    thread.start()
for thread in running:
    thread.join()
free_memory.FreeMemory(1).release_when_full()
print(private_bytes() - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc's malloc can be asked for it")
@pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="AddressSanitizer keeps what was freed")
def test_what_stays_free_is_bounded_for_all_threads_together() -> None:
    memory_bytes, pieces = 256 << 20, 500
    command = [sys.executable, "-c", BUSY, *map(str, (memory_bytes, THREADS, PIECE, pieces))]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert THREADS * PIECE * pieces > 6 * free_memory._FREE_SHARE * memory_bytes, "each has as much as is kept in all"
    assert int(done.stdout) < 1.5 * free_memory._FREE_SHARE * memory_bytes
