"""Entries of folders on disk: listed anew where something in it has changed, else as it was listed before.

A base folder of 500 trainings has 80,000 files: the state of a folder (`_native.folder_state`) tells in one call,
exactly, whether any of them has another size or time, and no object is made of each of them again. Nearly all of that
is the system's time for each file, so two threads share folders that were listed before.

A folder at rest costs one call for itself: its own times tell of entries that come, go or are renamed, and its files
are looked at again after a tenth of the time for which nothing had changed, a minute at most. So one that grows again
is noticed by then. It does not rest where somebody needs its files as they are (`look_again`).
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
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

# Times of folders and files are those of the last tick of a clock, which may count seconds: what changes within it has
# the same time.
_LEAST_REST_NS: Final = 2_000_000_000
_PART_OF_REST: Final = 10
_MOST_UNSEEN_NS: Final = 60_000_000_000


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


class FolderStamp(NamedTuple):
    """A folder itself: another one as soon as an entry comes, goes or has another name."""

    device: int
    inode: int
    modified_ns: int
    changed_ns: int


class FolderState(NamedTuple):
    """A folder as it was looked at."""

    stamp: FolderStamp
    entries: bytes  # other ones as soon as a file has another size or time
    changed_ns: int  # when it or a file in it was changed last
    seen_ns: int  # when it was looked at

    def is_at_rest(self, path: str, now_ns: int) -> bool:
        """True if its files need not be looked at yet. Folders of one age take turns, over half of the time."""
        rest_ns = self.seen_ns - self.changed_ns
        unseen_ns = min(rest_ns // _PART_OF_REST, _MOST_UNSEEN_NS)
        turn_ns = unseen_ns // 2 * (hash(path) & 0xFF) >> 8
        return rest_ns >= _LEAST_REST_NS and 0 <= now_ns - self.seen_ns < unseen_ns - turn_ns


States = Mapping[str, FolderState | None]  # by path; None: it cannot be read, or has too many entries
_NO_STATES: Final[States] = MappingProxyType({})


class _KeptListings:
    """Listings by path, as long as their states are the same; those of folders seen longest ago go first."""

    def __init__(self) -> None:
        self._listings: dict[str, tuple[FolderState, FolderListing]] = {}
        self._bytes = 0
        self._lock = threading.Lock()

    def at_rest(self, path: str, now_ns: int) -> FolderListing | None:
        """The listing of a folder that rests, and is the one that was looked at."""
        with self._lock:
            kept = self._listings.get(path)
        if kept is None or not kept[0].is_at_rest(path, now_ns) or kept[0].stamp != _stamp(path):
            return None
        with self._lock:
            if self._listings.get(path) is kept:  # another thread may have looked since, or want a look
                self._listings[path] = self._listings.pop(path)
        return kept[1]

    def get(self, path: str, state: FolderState) -> FolderListing | None:
        with self._lock:
            kept = self._listings.pop(path, None)
            if kept is None:
                return None
            is_same = kept[0].entries == state.entries
            self._listings[path] = (state, kept[1]) if is_same else kept
            return kept[1] if is_same else None

    def disturb(self, paths: Iterable[str]) -> None:
        """Has folders be looked at when they are listed the next time, or what they lie in: an archive lies in one."""
        with self._lock:
            for path in paths:
                while path not in self._listings and (above := _folder_of(path)) != path:
                    path = above
                kept = self._listings.get(path)
                if kept is not None:
                    self._listings[path] = kept[0]._replace(changed_ns=kept[0].seen_ns), kept[1]

    def due(self, root: str, now_ns: int) -> list[str]:
        """The folders at and below `root` that are to be looked at, as far as it is known of them."""
        paths = self.below(root)
        with self._lock:
            kept = [(path, self._listings.get(path)) for path in paths]
        return [path for path, entry in kept if entry is None or not entry[0].is_at_rest(path, now_ns)]

    def below(self, root: str) -> list[str]:
        """The paths of a folder and of those below it, as they were last listed, without links."""
        with self._lock:
            waiting, paths = [root], []
            while waiting:
                path = waiting.pop()
                if path in self._listings:
                    paths.append(path)
                    waiting += [path_below(path, name) for name in self._listings[path][1].folders]
            return paths

    def keep(self, path: str, state: FolderState, listing: FolderListing) -> None:
        with self._lock:
            older = self._listings.pop(path, None)
            self._bytes += _size_bytes(path, state, listing) - (0 if older is None else _size_bytes(path, *older))
            self._listings[path] = state, listing
            while self._bytes > _MOST_KEPT_BYTES:
                oldest = next(iter(self._listings))
                self._bytes -= _size_bytes(oldest, *self._listings.pop(oldest))


def _size_bytes(path: str, state: FolderState, listing: FolderListing) -> int:
    """About the memory that a listing takes, from above."""
    names = (listing.files, listing.folders, listing.links, listing.tables, listing.summaries)
    return _BYTES_OF_FOLDER + len(path) + len(state.entries) + _BYTES_OF_ENTRY * sum(map(len, names))


_KEPT: Final = _KeptListings()


def path_below(folder: str, name: str) -> str:
    """The path of an entry of a folder, as `Path` writes it: by such paths listings are kept."""
    return name if folder == os.curdir else f"{folder.rstrip('/')}/{name}"


def states_ahead(root: str) -> States:
    """The states of those folders at and below `root` that are to be looked at again, where they are many."""
    paths = _KEPT.due(root, time.time_ns())
    if len(paths) < _WORTH_A_THREAD or processors() < 2:
        return _NO_STATES
    left = iter(paths)  # both threads take of the same: one step of it is not divided
    other = _second().submit(_states, left)
    states = _states(left)
    return states | other.result()


def _states(paths: Iterator[str]) -> dict[str, FolderState | None]:
    return {path: _state(path) for path in paths}


def _state(path: str) -> FolderState | None:
    # The clock and the folder before the files: what changes in between is noticed the next time.
    seen_ns = time.time_ns()
    try:
        stamp = _stamp(path)
    except OSError:
        return None
    state = _native.folder_state(os.fsencode(path), list(_looked_into()), _MOST_STATE_BYTES)
    if state is None:
        return None
    entries, changed_ns = state
    return FolderState(stamp, entries, max(changed_ns, stamp.changed_ns), seen_ns)


def _stamp(path: str) -> FolderStamp:
    status = os.stat(path)  # noqa: PTH116 - thousands of texts, of which no path is made
    return FolderStamp(status.st_dev, status.st_ino, status.st_mtime_ns, status.st_ctime_ns)


def look_again(files: Iterable[Path]) -> None:
    """Has the folders of some files be looked at when they are listed the next time, however long they have rested."""
    _KEPT.disturb({_folder_of(os.fspath(file)) for file in files})


def _folder_of(path: str) -> str:
    return os.path.dirname(path) or os.curdir  # noqa: PTH120 - of 80,000 files `Path.parent` takes three times as long


@cache
def _second() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, "tilescope-folders")


if hasattr(os, "register_at_fork"):  # a child has no thread but its own, and would wait for this one without end
    os.register_at_fork(after_in_child=_second.cache_clear)


def list_folder(path: str, states: States = _NO_STATES) -> FolderListing:
    """The entries of a folder as they are now, or as they were when its state was read. Raises OSError."""
    if path not in states and (at_rest := _KEPT.at_rest(path, time.time_ns())) is not None:
        return at_rest
    # Before it is listed: what changes in between has another state the next time.
    state = states[path] if path in states else _state(path)
    listing = None if state is None else _KEPT.get(path, state)
    if listing is None:
        listing = (None if state is None else _plain_listing(state)) or _list(path)
        if state is not None:
            _KEPT.keep(path, state, listing)
    return listing


def _plain_listing(state: FolderState) -> FolderListing | None:
    """The listing of the folder that a state is of, as a rule; None where it has to be listed."""
    plain = _native.plain_entries(state.entries)
    if plain is None:
        return None
    files, folders, others = plain
    if _STORE_MARK in others:
        return FolderListing(is_store=True)
    tables = sorted(name for name in others if refused_table(name))
    summaries = sorted(name for name in others if is_of_summary(name) and not refused_table(name))
    entries = tuple(map(FileEntry._make, sorted(files)))
    return FolderListing(entries, tuple(sorted(folders)), (), tuple(tables), tuple(summaries))


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
            if is_looked_into(name) and (file := _file_entry(entry)) is not None:
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


def is_looked_into(name: str) -> bool:
    """True for a file whose name ends as those of traces, or of archives, do."""
    return name.endswith(_looked_into())


@cache
def _looked_into() -> tuple[str, ...]:
    of_formats = (
        ending for trace_format in formats().values() for ending in (*trace_format.suffixes, *trace_format.endings)
    )
    return (*of_formats, *_PACKED_ENDINGS)
