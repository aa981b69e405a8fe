"""A trace file that is written while it comes, and is there whole, or not at all.

Until then it is locked (flock) by the process that writes it: what no process has locked was left by one that was
killed.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
from collections.abc import Sequence
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Final

from tilescope.capture.amounts import megabytes
from tilescope.capture.failures import CaptureCause, Fault
from tilescope.tiler.confinement import is_within
from tilescope.tiler.system import lock

_PART: Final = re.compile(r"\..+-[0-9a-f]{8}\.part")
_NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


class ArrivingFile:
    """A file that grows under a hidden name beside its place. Methods raise `Fault` when the disk is full, or broken.

    It ends with `commit` or `discard`; `discard` may be called in any case.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size_bytes = 0
        try:
            self._part, self._file = _begin(path)
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


def remove_leftovers(logdir: Path) -> list[Path]:
    """Removes what captures into a log directory left that were killed, and their folders where nothing else is there.

    Returns the files. What cannot be removed stays, and so does what a link leads to.
    """
    removed = []
    place = [logdir.resolve()]
    for part in sorted((logdir / "plugins" / "profile").glob("*/.*.part")):
        if _PART.fullmatch(part.name) and part.is_file() and is_within(part, place):
            with suppress(OSError), part.open("rb") as file:
                lock(file, wait=False)
                part.unlink()
                removed.append(part)
                part.parent.rmdir()
    return removed


def _begin(path: Path) -> tuple[Path, FileIO]:
    while True:
        part = path.with_name(f".{path.name}-{secrets.token_hex(4)}.part")
        file = part.open("xb", buffering=0)
        with suppress(OSError):  # a disk without locks: what is left there stays
            lock(file)
        if os.fstat(file.fileno()).st_nlink:
            return part, file
        file.close()  # somebody who cleared up took it for one that was left


def refuse_astray(path: Path, folders: Sequence[Path]) -> None:
    """Raises `Fault` for a path that lies in none of the folders, all links followed; with no folders for none."""
    if folders and not is_within(path, [folder.resolve() for folder in folders]):
        raise Fault(CaptureCause.CANNOT_WRITE, f"{path}: a symbolic link leads out of what is served")


def fault_of_disk(error: OSError, path: Path) -> Fault:
    """The fault of a capture whose file cannot be written."""
    cause = CaptureCause.DISK_FULL if error.errno in _NO_ROOM else CaptureCause.CANNOT_WRITE
    return Fault(cause, f"{path}: {error.strerror or error}")
