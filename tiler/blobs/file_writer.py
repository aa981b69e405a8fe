"""Writes a local file that is there whole, or not at all."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from tilescope.tiler.blobs.blob import BlobState
from tilescope.tiler.blobs.file_blob import blob_error, file_state
from tilescope.tiler.errors import BlobError, DiskFull

UNPUBLISHED: Final = b".tilescope-part-"  # begins the names of files that are being written


class FileWriter:
    """Writes beside the file, which takes its place with `commit`: on the disk, and readable as new files are."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, part = tempfile.mkstemp(prefix=os.fsdecode(UNPUBLISHED), dir=path.parent)
        except OSError as error:
            raise self._error(error) from error
        self._part = Path(part)
        self._file = os.fdopen(handle, "wb")

    def write(self, data: bytes, /) -> None:
        try:
            self._file.write(data)
        except OSError as error:
            raise self._error(error) from error

    def commit(self) -> BlobState:
        try:
            self._file.flush()
            mask = os.umask(0)
            os.umask(mask)
            os.fchmod(self._file.fileno(), 0o666 & ~mask)
            os.fsync(self._file.fileno())
            state = file_state(os.fstat(self._file.fileno()))
            self._file.close()
            self._part.replace(self._path)
            sync_folder(self._path.parent)
        except OSError as error:
            raise self._error(error) from error
        return state

    def abort(self) -> None:
        with suppress(OSError):  # what could not be written need not be
            self._file.close()
        self._part.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None, /
    ) -> None:
        self.abort()

    def _error(self, error: OSError) -> BlobError | DiskFull:
        return blob_error(self._path, error)


def sync_folder(folder: Path) -> None:
    """Brings the names in a folder to the disk. Raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
