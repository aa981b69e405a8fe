"""Writes a local file that is there whole, or not at all."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Final

from tilescope.tiler.blobs.blob import BlobState
from tilescope.tiler.blobs.file_blob import blob_error, file_state
from tilescope.tiler.blobs.place import PartWriter
from tilescope.tiler.errors import BlobError, DiskFull

UNPUBLISHED: Final = b".tilescope-part-"  # begins the names of files that are being written


class FileWriter(PartWriter):
    """Writes beside the file, which takes its place with `commit`: on the disk, and readable as new files are."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._part = path.with_name(os.fsdecode(UNPUBLISHED) + secrets.token_hex(8))
            handle = os.open(self._part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)  # less the umask
        except OSError as error:
            raise self._error(error) from error
        self._file = os.fdopen(handle, "wb")

    def write(self, data: bytes, /) -> None:
        try:
            self._file.write(data)
        except OSError as error:
            raise self._error(error) from error

    def commit(self) -> BlobState:
        try:
            self._file.flush()
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

    def _error(self, error: OSError) -> BlobError | DiskFull:
        return blob_error(self._path, error)


def sync_folder(folder: Path) -> None:
    """Brings the names in a folder to the disk. Raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
