"""Memory that is free goes back to the system when a build has nearly all it may have, and not before."""

from __future__ import annotations

import os
import platform

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
