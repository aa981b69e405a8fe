"""A small file in a folder where others may write, too: read within a limit, and replaced in one step or not at all."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tilescope.server.errors import Forbidden
from tilescope.tiler.errors import DamagedStore, DiskFull
from tilescope.tiler.store.disk_space import is_full
from tilescope.tiler.system import OF_THIS_PLACE


def read_file(path: Path, most_bytes: int) -> bytes:
    """The content; nothing where there is no file. Raises `DamagedStore` for what is none, a link, or too large."""
    try:
        # A pipe would wait for somebody to write.
        handle = os.open(path, os.O_RDONLY | OF_THIS_PLACE)
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise DamagedStore(f"{path}: is no file (move it away)")
            with open(handle, "rb", closefd=False) as file:
                content = file.read(most_bytes + 1)
        finally:
            os.close(handle)
    except FileNotFoundError:
        return b""
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise DamagedStore(f"{path}: is a symbolic link (move it away)") from error
        raise DamagedStore(f"{path}: cannot be read: {error.strerror}") from error
    if len(content) > most_bytes:
        raise DamagedStore(f"{path}: has more than {most_bytes:,} bytes (move the file away to begin again)")
    return content


def replace_file(path: Path, content: bytes) -> None:
    """Writes another file in place of this one: whoever reads sees one or the other. Raises OSError."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink(missing_ok=True)
        raise


@contextmanager
def write_errors(path: Path, what: str) -> Iterator[None]:
    """Within the block, where `what` is written to a file, the system's errors are those of the server.

    `DiskFull`, `Forbidden` where this may not be written, or `DamagedStore`.
    """
    try:
        yield
    except OSError as error:
        if is_full(error):
            raise DiskFull(f"{path.parent}: the disk is full: {what} are as they were (make room)") from error
        if isinstance(error, PermissionError) or error.errno == errno.EROFS:
            why = "this server may not write in its cache directory"
            raise Forbidden(f"{why} ({error.strerror}): {what} are as they were") from error
        raise DamagedStore(f"{path}: cannot be written: {error.strerror}") from error
