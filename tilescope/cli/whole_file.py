"""A file that is there whole, or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


@contextmanager
def written_to(path: Path) -> Iterator[None]:
    """Within the block, the system's errors that name no file are of this one: writing and closing name none."""
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename is not None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """Opens a file for writing that takes its place when the block ends well. Pipes and devices are written as it goes.

    Raises OSError, with the path.
    """
    if path.exists() and not path.is_file():
        with written_to(path), path.open("wb") as file:
            yield file
        return
    try:
        part = path.with_name(f".{path.name}-{secrets.token_hex(8)}")
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)  # less the umask
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    try:
        with written_to(path), os.fdopen(handle, "wb") as file:
            yield file
        if path.exists():
            part.chmod(path.stat().st_mode & 0o777)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


@contextmanager
def whole_path(path: Path) -> Iterator[Path]:
    """A path for a file or folder that others write; it takes the place of `path` when the block ends well.

    It is alone in a folder, so that what they write beside it goes, too. A folder that is there already is not
    replaced. Raises OSError, with the path.
    """
    if path.is_dir() or (path.exists() and not path.is_file()):
        raise OSError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
    folder = path.with_name(f".{path.name}-{secrets.token_hex(8)}")
    try:
        folder.mkdir()
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    try:
        with written_to(path):
            yield folder / path.name
        (folder / path.name).replace(path)
    finally:
        remove_quietly(folder)


def remove_quietly(path: Path) -> None:
    """Removes a file or folder, or what of it can be removed."""
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
