"""How much memory this process has, as the system counts it; 0 where nobody tells."""

from __future__ import annotations

import os
import sys
from typing import Final

_PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")


def mapped_bytes() -> int:
    """Of files that are mapped."""
    return _pages()[1] * _PAGE_BYTES


def private_bytes() -> int:
    """Of its own."""
    resident, shared = _pages()
    return (resident - shared) * _PAGE_BYTES


def _pages() -> tuple[int, int]:
    """All that are resident, and those of files."""
    if sys.platform != "linux":
        return 0, 0
    with open("/proc/self/statm", "rb") as file:  # noqa: PTH123 - read every few milliseconds
        _, resident, shared, *_ = file.read().split()
    return int(resident), int(shared)
