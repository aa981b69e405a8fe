"""Pipes: what comes through one is copied into a file, since a trace is read more than once."""

from __future__ import annotations

import errno
import os
import select
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from tilescope.tiler.errors import DiskFull, TooLarge, TraceError

STDIN: Final = Path("/dev/stdin")

_DESCRIPTORS: Final = (Path("/dev/fd"), Path("/proc/self/fd"))
_COPY_BYTES: Final = 1 << 20
_PATIENCE_S: Final = 30.0  # until somebody opens a pipe to write into it
_POLL_MS: Final = 250


def kind_of(path: Path) -> str:
    """Kind of file at the path, in words that follow "is"; empty for a file, a folder, and for nothing."""
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
    """True if data may come through it, once."""
    return kind_of(path) == "a pipe"


def copy_pipe(
    path: Path,
    folder: Path,
    max_bytes: int | None,
    progress: Callable[[int], None],
    patience_s: float = _PATIENCE_S,
) -> Path:
    """A file in the folder with all that comes through the pipe, named after it. `progress` gets its bytes so far.

    Whoever writes may take any time, but opens the pipe within `patience_s` seconds. Raises `TraceError` where nobody
    does or nothing comes, `TooLarge` for more than `max_bytes`, and `DiskFull`.
    """
    copy = folder / _name_of(path)
    copied = 0
    try:
        with copy.open("xb") as file:
            for piece in _content(path, patience_s):
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


def _content(path: Path, patience_s: float) -> Iterator[bytes]:
    """Bytes that come through a pipe. To open one as a file would wait for ever where nobody writes."""
    pipe = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        first = _await_writer(pipe, patience_s)
        if first is None:
            what = f"is a pipe, and nobody opened it for writing within {patience_s:g} s"
            raise TraceError(path, what, advice="start what writes into it first")
        os.set_blocking(pipe, True)
        if first:
            yield first
        while piece := os.read(pipe, _COPY_BYTES):
            yield piece
    finally:
        os.close(pipe)


def _await_writer(pipe: int, patience_s: float) -> bytes | None:
    """Waits until somebody writes, or has written. Returns what was read by that; None when the time is over."""
    ready = select.poll()
    ready.register(pipe, select.POLLIN)
    give_up = time.monotonic() + patience_s
    while not ready.poll(_POLL_MS):  # neither bytes, nor the end of what somebody wrote
        try:
            first = os.read(pipe, _COPY_BYTES)
        except BlockingIOError:  # somebody has opened it
            return b""
        if first:
            return first
        if time.monotonic() >= give_up:
            return None
    return b""


def _name_of(path: Path) -> str:
    """`stdin` for standard input, `pipe` for what a shell makes of `<(…)`, else the name of the pipe."""
    if path == STDIN or (path.parent in _DESCRIPTORS and path.name == "0"):
        return "stdin"
    return "pipe" if path.parent in _DESCRIPTORS or path.parent.parent == Path("/proc") else os.fspath(path.name)
