"""A mirror: a local folder that stands for a place, so that whatever searches and names files works with its objects.

Each object is a file of its size and time that takes no space; its content is read from the place when the file is
opened. The mirrors of a process are registered here, since a path is all that those who open files have.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import threading
from pathlib import Path
from typing import Final

from msgspec import Struct

from tilescope.tiler.blobs.blob import Blob, BlobState
from tilescope.tiler.blobs.blob_file import BlobFile
from tilescope.tiler.blobs.file_blob import blob_error
from tilescope.tiler.blobs.place import BlobEntry, BlobPlace
from tilescope.tiler.blobs.scratch_space import ScratchSpace
from tilescope.tiler.blobs.trace_errors import trace_errors
from tilescope.tiler.errors import NOTHING_THERE, BlobMissing
from tilescope.tiler.path_names import name_folder, path_name

MAX_OBJECTS: Final = 100_000  # as many files as a folder is searched for
_MS_NS: Final = 10**6

# Of an object of which there can be no file: a folder has its name, or it is larger than any file.
_IMPOSSIBLE: Final = (errno.EEXIST, errno.EISDIR, errno.ENOTDIR, errno.EFBIG, errno.EINVAL, errno.EOVERFLOW)


class MirrorState(Struct, frozen=True):
    """A listing, in numbers."""

    objects: int
    refused: int  # names that no file can have
    is_whole: bool  # False: there are more than are looked at


class Mirror:
    """A place as a folder."""

    def __init__(self, folder: Path, place: BlobPlace, scratch: ScratchSpace) -> None:
        self.folder = folder
        self.place = place
        self._scratch = scratch
        self._entries: dict[str, BlobEntry] = {}
        self._refreshing = threading.Lock()

    def refresh(self) -> MirrorState:
        """Lists the place, in pages, and lays the files anew that differ. Opens no object. Raises `BlobError`s."""
        with self._refreshing:
            entries: dict[str, BlobEntry] = {}
            refused = 0
            after: str | None = None
            while True:
                page = self.place.list(after=after)
                entries |= {entry.name: entry for entry in page.entries}
                refused += page.refused
                after = page.next_after
                if after is None or len(entries) + refused >= MAX_OBJECTS:
                    break
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
                for name in self._files() - entries.keys():
                    (self.folder / name).unlink(missing_ok=True)
                refused += sum(not self._lay(entry) for entry in entries.values())
            except OSError as error:
                raise blob_error(self.folder, error) from error
            self._entries = entries
        return MirrorState(len(entries), refused, after is None)

    def open(self, name: str) -> BlobFile:
        """The object behind a file, as it was listed. Raises TraceError where it is not."""
        with trace_errors(self.folder / name):
            return BlobFile(self.folder / name, self.open_blob(name), self._scratch)

    def open_blob(self, name: str) -> Blob:
        """The same object as a blob. Raises BlobMissing where it is not."""
        entry = self._entries.get(name)
        if entry is None:
            raise BlobMissing(path_name(self.folder / name), NOTHING_THERE)
        return self.place.open(name, BlobState(entry.size_bytes, entry.etag))

    def _files(self) -> set[str]:
        """Names of the files that are laid."""
        files = (Path(folder, name) for folder, _, names in os.walk(self.folder) for name in names)
        return {file.relative_to(self.folder).as_posix() for file in files}

    def _lay(self, entry: BlobEntry) -> bool:
        """Lays the file of an object, unless it lies there. False where there can be none."""
        path = self.folder / entry.name
        time_ns = _time_ns(entry)
        try:
            status = path.lstat()
            if stat.S_ISREG(status.st_mode) and (status.st_size, status.st_mtime_ns) == (entry.size_bytes, time_ns):
                return True
        except FileNotFoundError:
            pass
        except NotADirectoryError:
            return False
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("wb") as file:
                file.truncate(entry.size_bytes)
            os.utime(path, ns=(time_ns, time_ns))
        except OSError as error:
            if error.errno not in _IMPOSSIBLE:
                raise
            if path.is_file():
                path.unlink()
            return False
        return True


_MIRRORS: list[Mirror] = []


def register(mirror: Mirror) -> None:
    """Has files in the folder of a mirror opened through it, in this process."""
    _MIRRORS.append(mirror)
    name_folder(mirror.folder, mirror.place.address)


def unregister(mirror: Mirror) -> None:
    """Ends that. Messages go on calling its files by their addresses."""
    _MIRRORS.remove(mirror)


def is_mirrored(path: Path) -> bool:
    """True if a path stands for an object elsewhere."""
    return mirror_of(path) is not None


def open_mirrored(path: Path) -> BlobFile | None:
    """The object behind a path; None where no mirror has it."""
    mirror = mirror_of(path)
    return None if mirror is None else mirror.open(path.relative_to(mirror.folder).as_posix())


def mirror_of(path: Path) -> Mirror | None:
    """The mirror that has a path; None where it is of this machine."""
    return next((mirror for mirror in _MIRRORS if path.is_relative_to(mirror.folder)), None)


def mirrored_blob(path: Path) -> Blob | None:
    """The object behind a regular file, as a blob; None where no mirror has it. Raises BlobMissing."""
    mirror = mirror_of(path)
    if mirror is None or not path.is_file():
        return None
    return mirror.open_blob(path.relative_to(mirror.folder).as_posix())


def _time_ns(entry: BlobEntry) -> int:
    """The object's time in milliseconds. Below stands a digest of its ETag, so that another object has another time."""
    digest = hashlib.sha256((entry.etag or "").encode()).digest()
    return entry.modified_ns // _MS_NS * _MS_NS + int.from_bytes(digest[:4], "big") % _MS_NS
