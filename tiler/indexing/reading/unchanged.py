"""Check that the files of a run are still those that a build began to read.

A file that was replaced by another one is read to its end all the same, and one that grows as far as it reached: their
index is that of an older file, which its fingerprint tells. What was shortened has been read in part only.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from tilescope.tiler.errors import ChangedTrace, TraceError
from tilescope.tiler.readers.fingerprint import archive_of


@contextmanager
def unchanged(files: Sequence[Path]) -> Iterator[None]:
    """Raises ChangedTrace at the end of the block for a file that was shortened within.

    A trace that cannot be read, and was written meanwhile, is one that changed, and not a damaged one.
    """
    before = [_stat(file) for file in files]
    try:
        yield
    except ChangedTrace:
        raise
    except TraceError as error:
        for file, old in zip(files, before, strict=True):
            new = _stat(file)
            if old is not None and new is not None and (old.st_size, old.st_mtime_ns) != (new.st_size, new.st_mtime_ns):
                raise ChangedTrace(file) from error
        raise
    for file, old in zip(files, before, strict=True):
        new = _stat(file)
        if old is not None and new is not None and old.st_ino == new.st_ino and new.st_size < old.st_size:
            raise ChangedTrace(file)


def _stat(file: Path) -> os.stat_result | None:
    with suppress(OSError):
        return archive_of(file).stat()
    return None
