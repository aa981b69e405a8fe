"""Entries of folders on disk: listed anew where something in it has changed, else as it was listed before.

A base folder of 500 trainings has 80,000 files: the state of a folder (`_native.folder_state`) tells in one call,
exactly, whether any of them has another size or time, and no object is made of each of them again. Nearly all of that
is the system's time for each file, so two threads share folders that were listed before.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from types import MappingProxyType
from typing import Final, NamedTuple

from msgspec import Struct

from tilescope.tiler import _native
from tilescope.tiler.readers.compression import ENDINGS, TAR_ENDINGS
from tilescope.tiler.readers.formats import formats
from tilescope.tiler.readers.layouts.ascend_names import is_of_summary
from tilescope.tiler.readers.refused_files import refused_table
from tilescope.tiler.system import processors

_PACKED_ENDINGS: Final = (".zip", ".tar", *ENDINGS, *TAR_ENDINGS)
_STORE_MARK: Final = "CURRENT"
_MOST_STATE_BYTES: Final = 16 << 20  # of a folder: some 200,000 files
_MOST_KEPT_BYTES: Final = 128 << 20
_BYTES_OF_FOLDER: Final = 700  # beside what is in it: an empty one has no state, but is kept as well
_BYTES_OF_ENTRY: Final = 300  # of a listing
_WORTH_A_THREAD: Final = 32  # folders

States = Mapping[str, "bytes | None"]  # by path; None: it cannot be read, or has too many entries
_NO_STATES: Final[States] = MappingProxyType({})


class FileEntry(NamedTuple):
    """A file of a folder that may be a trace. Its look is kept for as long as all of this is the same."""

    name: str
    size_bytes: int
    modified_ns: int
    changed_ns: int  # of the inode, which cannot be set back
    is_link: bool


class FolderListing(Struct, frozen=True):
    """The entries of a folder that count, in the order of their names, without hidden ones."""

    files: tuple[FileEntry, ...] = ()  # that may be traces
    folders: tuple[str, ...] = ()
    links: tuple[str, ...] = ()  # to folders
    tables: tuple[str, ...] = ()  # that no reader takes
    summaries: tuple[str, ...] = ()  # of MindSpore, and its checkpoints
    is_store: bool = False  # an index of ours: nothing in it is a trace


class _KeptListings:
    """Listings by path, as long as their states are the same; those of folders seen longest ago go first."""

    def __init__(self) -> None:
        self._listings: dict[str, tuple[bytes, FolderListing]] = {}
        self._bytes = 0
        self._lock = threading.Lock()

    def get(self, path: str, state: bytes) -> FolderListing | None:
        with self._lock:
            kept = self._listings.pop(path, None)
            if kept is None:
                return None
            self._listings[path] = kept
            return kept[1] if kept[0] == state else None

    def below(self, root: str) -> list[str]:
        """The paths of a folder and of those below it, as they were last listed, without links."""
        with self._lock:
            waiting, paths = [root], []
            while waiting:
                path = waiting.pop()
                if path in self._listings:
                    paths.append(path)
                    waiting += [f"{path}/{name}" for name in self._listings[path][1].folders]
            return paths

    def keep(self, path: str, state: bytes, listing: FolderListing) -> None:
        with self._lock:
            older = self._listings.pop(path, None)
            self._bytes += _size_bytes(path, state, listing) - (0 if older is None else _size_bytes(path, *older))
            self._listings[path] = state, listing
            while self._bytes > _MOST_KEPT_BYTES:
                oldest = next(iter(self._listings))
                self._bytes -= _size_bytes(oldest, *self._listings.pop(oldest))


def _size_bytes(path: str, state: bytes, listing: FolderListing) -> int:
    """About the memory that a listing takes, from above."""
    names = (listing.files, listing.folders, listing.links, listing.tables, listing.summaries)
    return _BYTES_OF_FOLDER + len(path) + len(state) + _BYTES_OF_ENTRY * sum(map(len, names))


_KEPT: Final = _KeptListings()


def states_ahead(root: str) -> States:
    """The states of a folder and of those below it as far as they have been listed before, and are many."""
    paths = _KEPT.below(root)
    if len(paths) < _WORTH_A_THREAD or processors() < 2:
        return _NO_STATES
    left = iter(paths)  # both threads take of the same: one step of it is not divided
    other = _second().submit(_states, left)
    states = _states(left)
    return states | other.result()


def _states(paths: Iterator[str]) -> dict[str, bytes | None]:
    return {path: _state(path) for path in paths}


def _state(path: str) -> bytes | None:
    return _native.folder_state(os.fsencode(path), list(_looked_into()), _MOST_STATE_BYTES)


@cache
def _second() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, "tilescope-folders")


if hasattr(os, "register_at_fork"):  # a child has no thread but its own, and would wait for this one without end
    os.register_at_fork(after_in_child=_second.cache_clear)


def list_folder(path: str, states: States = _NO_STATES) -> FolderListing:
    """The entries of a folder as they are now, or as they were when its state was read. Raises OSError."""
    # Before it is listed: what changes in between has another state the next time.
    state = states[path] if path in states else _state(path)
    listing = None if state is None else _KEPT.get(path, state)
    if listing is None:
        listing = _list(path)
        if state is not None:
            _KEPT.keep(path, state, listing)
    return listing


def _list(path: str) -> FolderListing:
    files: list[FileEntry] = []
    folders: list[str] = []
    links: list[str] = []
    tables: list[str] = []
    summaries: list[str] = []
    with os.scandir(path) as entries:
        for entry in entries:
            name = entry.name
            if name == _STORE_MARK and not _is_folder(entry):
                return FolderListing(is_store=True)
            if name.startswith("."):
                continue
            if name.endswith(_looked_into()) and (file := _file_entry(entry)) is not None:
                files.append(file)
            elif entry.is_dir(follow_symlinks=False):
                folders.append(name)
            elif entry.is_symlink() and _is_folder(entry):
                links.append(name)
            elif refused_table(name):
                tables.append(name)
            elif is_of_summary(name):
                summaries.append(name)
    folders, links, tables, summaries = map(sorted, (folders, links, tables, summaries))
    return FolderListing(tuple(sorted(files)), tuple(folders), tuple(links), tuple(tables), tuple(summaries))


def _file_entry(entry: os.DirEntry[str]) -> FileEntry | None:
    """The entry, where it is a file or leads to one."""
    try:
        if not entry.is_file():
            return None
        stat = entry.stat()
    except OSError:
        return None
    return FileEntry(entry.name, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, entry.is_symlink())


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """True for a folder, and for a link to one."""
    try:
        return entry.is_dir()
    except OSError:  # it leads to itself
        return False


@cache
def _looked_into() -> tuple[str, ...]:
    of_formats = (
        ending for trace_format in formats().values() for ending in (*trace_format.suffixes, *trace_format.endings)
    )
    return (*of_formats, *_PACKED_ENDINGS)
