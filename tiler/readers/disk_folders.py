"""Folders on disk, and what the files in them are by their first bytes: each file is looked into once.

A folder of ten thousand traces is listed again in a fifth of a second: so there is one `stat` for each file, and paths
are texts until something is made of them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from msgspec import Struct, field

from tilescope.tiler.errors import TooLarge, TraceError
from tilescope.tiler.readers.compression import ENDINGS, TAR_ENDINGS
from tilescope.tiler.readers.container import list_archive
from tilescope.tiler.readers.folder_links import FolderLinks, FolderPlace
from tilescope.tiler.readers.format import Likeness
from tilescope.tiler.readers.formats import formats
from tilescope.tiler.readers.layouts.ascend_names import raw_capture
from tilescope.tiler.readers.layouts.registry import look_at
from tilescope.tiler.readers.left_out import LeftOut
from tilescope.tiler.readers.refused_files import refused_table
from tilescope.tiler.readers.run_files import is_host_file
from tilescope.tiler.readers.signature import HEAD_BYTES, recognise
from tilescope.tiler.readers.source import ByteSource
from tilescope.tiler.readers.tar_stream import is_tar
from tilescope.tiler.readers.zip_directory import MAGICS

MAX_FILES: Final = 100_000  # that are looked into in one search

_MAX_DEPTH: Final = 8  # folders below the one that is asked for; logdir/experiment/train/plugins/profile/run is 5
_FIRST_BYTES: Final = 16 * 1024
_KEPT_LOOKS: Final = MAX_FILES
_PACKED_ENDINGS: Final = (".zip", ".tar", *ENDINGS, *TAR_ENDINGS)
_STORE_MARK: Final = "CURRENT"
_EVENTS: Final = b'"traceEvents"'


class FileEntry(NamedTuple):
    """A file of a folder that may be a trace. Its look is kept for as long as all of this is the same."""

    name: str
    size_bytes: int
    modified_ns: int
    changed_ns: int  # of the inode, which cannot be set back
    is_link: bool


class DiskFolder(Struct, frozen=True):
    """A folder that was gone through."""

    path: str
    parts: tuple[str, ...]  # of its path below the one that is searched
    files: tuple[FileEntry, ...]  # in the order of their names
    strangers: tuple[str, ...] = ()  # names of links that lead to what is not served


class FileLook(Struct, frozen=True):
    """A file as its first bytes show it."""

    is_trace: bool
    is_archive: bool = False
    looks: Mapping[str, object] = field(default_factory=dict)


class FolderWalk:
    """Goes through a folder and those below it, without hidden ones and stores; links to folders come last."""

    def __init__(self, root: Path, is_served: Callable[[Path], bool] | None = None) -> None:
        self._root = root
        self._is_served = is_served
        self.left_out = 0  # files that are more than there may be
        self.refused = LeftOut("more folders and files are left out: they cannot be read")
        self.links = FolderLinks(root, is_served)
        self.raw_captures: set[Path] = set()  # of Ascend devices, with data that only their profiler reads

    def __iter__(self) -> Iterator[DiskFolder]:
        room = MAX_FILES
        waiting = [FolderPlace(os.fspath(self._root), (), os.path.realpath(self._root))]
        gone_through: set[str] = set()
        while waiting or (waiting := [*self.links.follow(gone_through)][::-1]):
            place = waiting.pop()
            path, parts = place.path, place.parts
            gone_through.add(place.real)
            if (raw := raw_capture((self._root.name, *parts))) is not None:
                self.raw_captures.add(self._root.joinpath(*raw[1:]))
            files: list[FileEntry] = []
            below: list[FolderPlace] = []
            links: list[FolderPlace] = []
            tables: list[str] = []
            is_store = False
            try:
                with os.scandir(path) as entries:
                    for entry in entries:
                        name = entry.name
                        if name == _STORE_MARK and not entry.is_dir():
                            is_store = True  # an index of ours: nothing in it is a trace
                            break
                        if name.startswith("."):
                            continue
                        if name.endswith(_looked_into()) and (file := _file_entry(entry)) is not None:
                            files.append(file)
                        elif len(parts) < _MAX_DEPTH and entry.is_dir(follow_symlinks=False):
                            below.append(place.below(entry.path, name))
                        elif len(parts) < _MAX_DEPTH and _leads_to_folder(entry):
                            links.append(place.below(entry.path, name))
                        elif refused_table(name):
                            tables.append(name)
            except FileNotFoundError:  # removed meanwhile
                continue
            except OSError as error:
                self.refused.add("/".join(parts) or ".", f"cannot be read: {error.strerror or error}")
                continue
            if is_store:
                continue
            waiting += sorted(below, reverse=True)
            for link in links:
                self.links.add(link)
            files.sort()
            if not files:  # else they are of a capture that is read
                for name in sorted(tables):
                    self.refused.add("/".join((*parts, name)), refused_table(name))
            strangers = self._strangers(path, files)
            if strangers:
                files = [file for file in files if file.name not in strangers]
            self.left_out += max(0, len(files) - room)
            del files[room:]
            room -= len(files)
            yield DiskFolder(path, parts, tuple(files), tuple(strangers))

    def _strangers(self, folder: str, files: Iterable[FileEntry]) -> Mapping[str, None]:
        """Names of links that lead to what is not served, in order."""
        if self._is_served is None:
            return {}
        links = (file.name for file in files if file.is_link)
        return {name: None for name in links if not self._is_served(Path(folder, name))}


def look_into(path: Path, file: FileEntry, max_inflated: int | None) -> FileLook:
    """The look of a file. One that is named as a host's is a trace: if it is damaged, opening it says so."""
    if file.size_bytes and any(names.fullmatch(file.name) for names in _certain_names()):
        return FileLook(is_trace=True)
    look = _look_into(path, file.size_bytes, file.modified_ns, file.changed_ns, max_inflated)
    return look if look.is_trace or not is_host_file(path) else FileLook(is_trace=True)


def _file_entry(entry: os.DirEntry[str]) -> FileEntry | None:
    """The entry, where it is a file or leads to one."""
    try:
        if not entry.is_file():
            return None
        stat = entry.stat()
    except OSError:
        return None
    return FileEntry(entry.name, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, entry.is_symlink())


def _leads_to_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_symlink() and entry.is_dir()
    except OSError:  # it leads to itself
        return False


@cache
def _certain_names() -> tuple[re.Pattern[str], ...]:
    return tuple(names for trace_format in formats().values() if (names := trace_format.certain_names) is not None)


@cache
def _looked_into() -> tuple[str, ...]:
    of_formats = (
        ending for trace_format in formats().values() for ending in (*trace_format.suffixes, *trace_format.endings)
    )
    return (*of_formats, *_PACKED_ENDINGS)


@lru_cache(_KEPT_LOOKS)
def _look_into(path: Path, size_bytes: int, _modified_ns: int, _changed_ns: int, max_inflated: int | None) -> FileLook:
    if size_bytes == 0:
        return FileLook(is_trace=False)
    try:
        with ByteSource.open(path, max_inflated) as source:
            head = source.peek(_FIRST_BYTES)
            if is_tar(head) or (head.startswith(MAGICS) and not source.is_compressed):
                return _look_into_archive(path, max_inflated)
            if head.lstrip().startswith(b"{") and _EVENTS not in head:  # much may be said before the events
                head = source.peek(HEAD_BYTES)
            is_trace = recognise(head, path).likeness is Likeness.CERTAIN
        return FileLook(is_trace, looks=look_at(head) if is_trace else {})
    except TooLarge:
        return FileLook(is_trace=True)  # opening it says so
    except TraceError:
        return FileLook(is_trace=False)


def _look_into_archive(path: Path, max_inflated: int | None) -> FileLook:
    listing = list_archive(path, max_inflated)
    assert listing is not None
    return FileLook(is_trace=any(member.is_certain for member in listing.members), is_archive=True)
