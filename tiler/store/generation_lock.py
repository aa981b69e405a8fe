"""The lock on a generation: readers share a lock on its file, whoever wants to remove it must have it alone.

The lock is the kernel's (flock): it goes with the process that holds it, however that ends, and needs no clean-up. A
file system that has no such locks only loses the protection: a reader that holds the file open goes on reading it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from tilescope.tiler import system

DATA_FILE: Final = "data.mdb"


class Use:
    """A lock that is held until it is closed."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def close(self) -> None:
        """Gives the lock back. Closing twice does no harm."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)


def hold(generation: Path) -> Use | None:
    """Keeps the generation from being removed. None when it is gone.

    Waits while somebody has claimed it: that takes milliseconds, and it may turn out to stay.
    """
    return _lock(generation / DATA_FILE, os.O_RDONLY, shared=True)


def claim(generation: Path) -> Use | None:
    """The right to remove the generation: None when somebody reads it. One without data is nobody's."""
    file = generation / DATA_FILE
    if not file.exists():
        return Use(-1)
    try:
        return _lock(file, os.O_RDWR, shared=False)
    except PermissionError:  # write permission is only needed on network file systems
        return _lock(file, os.O_RDONLY, shared=False)


def _lock(file: Path, flags: int, *, shared: bool) -> Use | None:
    try:
        descriptor = os.open(file, flags | os.O_CLOEXEC | os.O_NONBLOCK)  # a pipe must not make us wait
    except (FileNotFoundError, NotADirectoryError):
        return None
    use = Use(descriptor)
    try:
        system.lock(descriptor, shared=shared, wait=shared)
    except OSError:
        if shared:
            return use  # there are no locks here
        use.close()
        return None
    with suppress(OSError):
        if os.fstat(descriptor).st_nlink:
            return use
    use.close()  # removed between the two steps
    return None
