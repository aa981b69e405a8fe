"""A local folder as a place of blobs.

Links to folders are not followed, since they may lead in circles, and links to files only where they stay below it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from tilescope.tiler.blobs.blob import BlobState
from tilescope.tiler.blobs.blob_name import checked_name, name_problem
from tilescope.tiler.blobs.file_blob import FileBlob, blob_error, file_state
from tilescope.tiler.blobs.file_writer import UNPUBLISHED, FileWriter
from tilescope.tiler.blobs.place import MAX_PAGE_ENTRIES, BlobEntry, EntryPage
from tilescope.tiler.confinement import is_within
from tilescope.tiler.errors import BlobForbidden

_SLASH: Final = b"/"


class LocalPlace:
    """Files below a folder, in all folders in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def address(self) -> str:
        return str(self.folder)

    def list(self, prefix: str = "", after: str | None = None, limit: int = MAX_PAGE_ENTRIES) -> EntryPage:
        names = self._names(b"", os.fsencode(prefix), os.fsencode(after or ""))
        page = list(islice(names, min(limit, MAX_PAGE_ENTRIES)))
        entries = [self._entry(name) for name in page]
        return EntryPage(
            entries=tuple(entry for entry in entries if entry is not None),
            next_after=os.fsdecode(page[-1]) if page and next(names, None) is not None else None,
            refused=entries.count(None),
        )

    def open(self, name: str, state: BlobState | None = None) -> FileBlob:
        path = self.folder / checked_name(name)
        self._require_within(path)
        return FileBlob(path, state)

    def put(self, name: str) -> FileWriter:
        path = self.folder / checked_name(name)
        self._require_within(path)
        return FileWriter(path)

    def close(self) -> None:
        """Does nothing: there are no connections."""

    def _require_within(self, path: Path) -> None:
        if not is_within(path, (self.folder.resolve(),)):
            raise BlobForbidden(str(path), f"a link leads out of {self.folder}")

    def _entry(self, name: bytes) -> BlobEntry | None:
        """The entry of a file; None for one that nothing can be done with."""
        text = os.fsdecode(name)
        path = self.folder / text
        if name_problem(text) is not None or not is_within(path, (self.folder.resolve(),)):
            return None
        try:
            status = path.stat()
        except OSError:  # a link that leads nowhere, or a file that has just been removed
            return None
        if not stat.S_ISREG(status.st_mode):
            return None
        state = file_state(status)
        return BlobEntry(text, state.size_bytes, state.etag, status.st_mtime_ns)

    def _names(self, below: bytes, prefix: bytes, after: bytes) -> Iterator[bytes]:
        """Names of all files below a folder that begin so and come behind another, in their order in UTF-8."""
        try:
            with os.scandir(os.fsencode(self.folder) + _SLASH + below) as folder:
                keys = sorted(below + entry.name + _SLASH * entry.is_dir(follow_symlinks=False) for entry in folder)
        except OSError as error:
            raise blob_error(self.folder / os.fsdecode(below), error) from error
        for key in keys:
            if not key.endswith(_SLASH):
                if key.startswith(prefix) and key > after and not key[len(below) :].startswith(UNPUBLISHED):
                    yield key
            elif (key.startswith(prefix) or prefix.startswith(key)) and (key > after or after.startswith(key)):
                yield from self._names(key, prefix, after)
