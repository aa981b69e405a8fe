"""The contract of a format: everything that differs from one to the next."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Protocol

from tilescope.tiler.details import ArgsCodec
from tilescope.tiler.readers.compression import ENDINGS
from tilescope.tiler.readers.memory_budget import Room
from tilescope.tiler.readers.reader import Reader
from tilescope.tiler.readers.source import ByteSource


class Likeness(IntEnum):
    """Likeness of a file to a format, by its first bytes."""

    NONE = 0  # it is something else
    BEGINS = 1  # it begins as traces of the format do, but if no more follows it is none
    EMPTY = 2  # a trace without events, if no more follows
    CERTAIN = 3  # a trace of this format


class Opener(Protocol):
    """Makes a reader of a source, which belongs to the reader from then on. Raises TraceError."""

    def __call__(self, source: ByteSource, *, scratch_dir: Path | None, room: Room | None) -> Reader:
        """`scratch_dir` is where it may write, `room` how much it may find."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One format. Files are told apart by content; names only say which files of a folder belong together."""

    id: str  # in manifests
    title: str  # for people, as in "Tilescope reads …"
    # What a file begins with: its first 64 KiB uncompressed, the first 4 KiB where many files are looked at.
    looks_like: Callable[[bytes], Likeness]
    open: Opener
    args: ArgsCodec
    suffixes: tuple[str, ...]  # of files that are named after their host: `host0.xplane.pb`; also as .gz, .zst …
    nothing_follows: str = "begins as a trace, but is none"  # of a whole file that only BEGINS as one: what it is
    endings: tuple[str, ...] = ()  # of files that may be traces, and are looked into
    is_of_one_host: bool = False  # whether two files of one host's name are of two hosts
    shortens: tuple[str, ...] = ()  # ids of formats: a file of the same host beside one of these is its shortened copy
    # Files of formats whose first bytes say little: true for a path that is called as they are, and begins so.
    is_named: Callable[[Path, bytes], bool] | None = None
    certain_names: re.Pattern[str] | None = None  # of files that a search need not look into
    # Where a look costs a request: files that are named after hosts are taken for traces without one.
    names_suffice: bool = False
    copy_names: tuple[str, ...] = ()  # of files that are copies of whatever host's file lies beside them

    def compressed_too(self) -> tuple[str, ...]:
        """The suffixes, each also with the endings of compressed files."""
        return tuple(suffix + ending for suffix in self.suffixes for ending in ("", *ENDINGS))
