"""Pipes: what comes through one is copied into a file, since a trace is read more than once."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tilescope.tiler.errors import DiskFull, TooLarge, TraceError

STDIN: Final = Path("/dev/stdin")

_DESCRIPTORS: Final = (Path("/dev/fd"), Path("/proc/self/fd"))
_COPY_BYTES: Final = 1 << 20


def kind_of(path: Path) -> str:
    """What is at the path, in words that follow "is"; empty for a file, a folder, and for nothing."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return ""
    if stat.S_ISFIFO(mode):
        return "a pipe"
    if stat.S_ISSOCK(mode):
        return "a socket"
    return "a device" if stat.S_ISCHR(mode) or stat.S_ISBLK(mode) else ""


def is_pipe(path: Path) -> bool:
    """Whether something may come through it, once."""
    return kind_of(path) == "a pipe"


def copy_pipe(path: Path, folder: Path, max_bytes: int | None, progress: Callable[[int], None]) -> Path:
    """A file in the folder with all that comes through the pipe, named after it. `progress` is told how many bytes.

    Raises `TraceError` where nothing comes, `TooLarge` for more than `max_bytes`, and `DiskFull`.
    """
    copy = folder / _name_of(path)
    copied = 0
    try:
        with path.open("rb", buffering=0) as pipe, copy.open("xb") as file:
            while piece := pipe.read(_COPY_BYTES):
                copied += len(piece)
                if max_bytes is not None and copied > max_bytes:
                    what = f"is a pipe through which more than {max_bytes:,} bytes come"
                    raise TooLarge(path, what, advice="if this is intended, allow more with --max-inflated")
                file.write(piece)
                progress(copied)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFull(f"{folder}: the disk is full: {copied / 1e6:,.0f} MB came through {path}", copied) from error
        raise TraceError(path, f"cannot be read: {error.strerror or error}") from error
    if not copied:
        raise TraceError(path, "is a pipe through which nothing came", advice="look at what writes into it")
    return copy


def _name_of(path: Path) -> str:
    """`stdin` for standard input, `pipe` for what a shell makes of `<(…)`, else the name of the pipe."""
    if path == STDIN or (path.parent in _DESCRIPTORS and path.name == "0"):
        return "stdin"
    return "pipe" if path.parent in _DESCRIPTORS or path.parent.parent == Path("/proc") else os.fspath(path.name)
