"""A trace file that is written while it comes, and is there whole, or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from pathlib import Path
from typing import Final

from tilescope.capture.amounts import megabytes
from tilescope.capture.failures import CaptureCause, Fault

_NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


class ArrivingFile:
    """A file that grows under a hidden name beside its place. Methods raise `Fault` when the disk is full, or broken.

    It ends with `commit` or `discard`; `discard` may be called in any case.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size_bytes = 0
        self._part = path.with_name(f".{path.name}-{secrets.token_hex(4)}.part")
        try:
            self._file = self._part.open("xb", buffering=0)
        except OSError as error:
            raise fault_of_disk(error, path) from None

    def expect(self, size_bytes: int) -> None:
        """Refuses what the disk has no room for, before it comes."""
        free_bytes = shutil.disk_usage(self.path.parent).free
        if size_bytes > free_bytes:
            room = f"{megabytes(size_bytes)} are needed, {megabytes(free_bytes)} are free"
            raise Fault(CaptureCause.DISK_FULL, f"{self.path.parent}: {room}")

    def write(self, data: memoryview | bytes) -> None:
        """Adds bytes at the end."""
        data = memoryview(data)
        try:
            while data:
                written = self._file.write(data)
                self.size_bytes += written
                data = data[written:]
        except OSError as error:
            raise fault_of_disk(error, self.path) from None

    def commit(self) -> None:
        """Puts the file in its place, as durable as the disk makes it. May take seconds: not for the event loop."""
        try:
            os.fsync(self._file.fileno())
            self._file.close()
            self._part.rename(self.path)
        except OSError as error:
            raise fault_of_disk(error, self.path) from None

    def discard(self) -> None:
        """Removes what was written, unless it is in its place."""
        self._file.close()
        self._part.unlink(missing_ok=True)


def fault_of_disk(error: OSError, path: Path) -> Fault:
    """What it means for a capture that a file cannot be written."""
    cause = CaptureCause.DISK_FULL if error.errno in _NO_ROOM else CaptureCause.CANNOT_WRITE
    return Fault(cause, f"{path}: {error.strerror or error}")
