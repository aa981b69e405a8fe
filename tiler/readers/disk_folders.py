"""Folders on disk, and what the files in them are by their first bytes: each file is looked into once.

Paths are texts until something is made of them: a folder of ten thousand traces is listed again and again.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

from msgspec import Struct, field

from tilescope.tiler.blobs import is_mirrored
from tilescope.tiler.errors import TooLarge, TraceError
from tilescope.tiler.readers.container import list_archive
from tilescope.tiler.readers.folder_links import FolderLinks, FolderPlace
from tilescope.tiler.readers.folder_listing import FileEntry, list_folder, states_ahead
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
_KEPT_NAMES: Final = 1 << 13  # the trainings of a base folder have files of the same names
_EVENTS: Final = b'"traceEvents"'


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
        self.raw_data: dict[Path, list[str]] = {}  # folders that no reader takes, by capture of Ascend devices
        self.summaries: dict[Path, tuple[str, ...]] = {}  # of MindSpore, and its checkpoints, by folder

    def __iter__(self) -> Iterator[DiskFolder]:
        room = MAX_FILES
        waiting = [FolderPlace(os.fspath(self._root), (), os.path.realpath(self._root))]
        gone_through: set[str] = set()
        states = states_ahead(waiting[0].path)
        while waiting or (waiting := [*self.links.follow(gone_through)][::-1]):
            place = waiting.pop()
            path, parts = place.path, place.parts
            gone_through.add(place.real)
            if (raw := raw_capture((self._root.name, *parts))) is not None:
                raw_data = "/".join((self._root.name, *parts)[len(raw) :])
                self.raw_data.setdefault(self._root.joinpath(*raw[1:]), []).append(raw_data)
            try:
                listing = list_folder(path, states)
            except FileNotFoundError:  # removed meanwhile
                continue
            except OSError as error:
                self.refused.add("/".join(parts) or ".", f"cannot be read: {error.strerror or error}")
                continue
            if listing.is_store:
                continue
            if len(parts) < _MAX_DEPTH:
                waiting += [place.below(name) for name in reversed(listing.folders)]
                for name in listing.links:
                    self.links.add(place.below(name))
            if listing.summaries:
                self.summaries[Path(path)] = listing.summaries
            files = listing.files
            if not files:  # else they are of a capture that is read
                for name in listing.tables:
                    self.refused.add("/".join((*parts, name)), refused_table(name))
            strangers = self._strangers(path, files)
            if strangers:
                files = tuple(file for file in files if file.name not in strangers)
            self.left_out += max(0, len(files) - room)
            files = files[:room]
            room -= len(files)
            yield DiskFolder(path, parts, files, tuple(strangers))

    def _strangers(self, folder: str, files: Iterable[FileEntry]) -> Mapping[str, None]:
        """Names of links that lead to what is not served, in order."""
        if self._is_served is None:
            return {}
        links = (file.name for file in files if file.is_link)
        return {name: None for name in links if not self._is_served(Path(folder, name))}


def look_into(path: Path, file: FileEntry, max_inflated: int | None) -> FileLook:
    """The look of a file. One that is named as a host's is a trace: if it is damaged, opening it says so."""
    if file.size_bytes and _is_certain(file.name):
        return FileLook(is_trace=True)
    if file.size_bytes and file.name.endswith(_sufficient_suffixes()) and is_mirrored(path):
        return FileLook(is_trace=True)
    look = _look_into(path, file.size_bytes, file.modified_ns, file.changed_ns, max_inflated)
    return look if look.is_trace or not is_host_file(path) else FileLook(is_trace=True)


@lru_cache(_KEPT_NAMES)
def _is_certain(name: str) -> bool:
    return any(names.fullmatch(name) for names in _certain_names())


@cache
def _certain_names() -> tuple[re.Pattern[str], ...]:
    return tuple(names for trace_format in formats().values() if (names := trace_format.certain_names) is not None)


@cache
def _sufficient_suffixes() -> tuple[str, ...]:
    return tuple(suffix for each in formats().values() if each.names_suffice for suffix in each.suffixes)


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
