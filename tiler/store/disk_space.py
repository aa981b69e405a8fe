"""Room on the disk: whether an error is for want of it, and about how much would be needed."""

from __future__ import annotations

import errno
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Self

from msgspec import Struct, structs

from tilescope.tiler import system
from tilescope.tiler.errors import DiskFull

# Store bytes per byte of the trace, as long as nothing is written from which to tell: XSpace 0.63 (bench/README.md).
_USUAL_RATIO: Final = 0.65

# An estimate from less than this share of the entries says nothing.
_TELLING_SHARE: Final = 0.05

# LMDB's lock file is mapped: without room for its pages the process would be killed instead of being told.
_LEAST_BYTES: Final = 1024 * 1024

_FULL: Final = (errno.ENOSPC, errno.EDQUOT)


class Need(Struct, frozen=True):
    """Disk space that a build lacked when the disk was full, and what was free."""

    missing_bytes: int
    free_bytes: int

    @classmethod
    def estimate(
        cls, folder: Path, source_bytes: int, written_bytes: int, share_bytes: int = 0, share: float = 0.0
    ) -> Self:
        """An estimate, while the `written_bytes` are still there; that share of the entries had taken `share_bytes`."""
        total = share_bytes / share if share >= _TELLING_SHARE else source_bytes * _USUAL_RATIO
        missing = max(int(total) - written_bytes, _LEAST_BYTES)
        return cls(missing, shutil.disk_usage(folder).free)

    def at_least(self, error: BaseException) -> Self:
        """The same, if not less than what the error says could not be had at once: scratch space, mostly."""
        needed_at_once = max((cause.needed_bytes for cause in _causes(error) if isinstance(cause, DiskFull)), default=0)
        return structs.replace(self, missing_bytes=max(self.missing_bytes, needed_at_once))

    def error(self, store: Path) -> DiskFull:
        """The line for a person."""
        return DiskFull(
            f"{store}: the disk is full: the index needs about {megabytes(self.missing_bytes)} more, "
            f"{megabytes(self.free_bytes)} are free there (make room, or name a folder on another disk)",
            self.missing_bytes,
        )


def is_full(error: BaseException) -> bool:
    """True if an error is, or comes from, a disk or a quota that is full."""
    return any(
        isinstance(cause, DiskFull) or (isinstance(cause, OSError) and cause.errno in _FULL) for cause in _causes(error)
    )


def has_room(folder: Path) -> bool:
    """True if a MiB can be written there: found by trying, since a quota shows in no other way."""
    try:
        with tempfile.TemporaryFile(dir=folder, prefix="gen-") as file:
            system.reserve(file.fileno(), _LEAST_BYTES)
    except OSError as error:
        if error.errno in _FULL:
            return False
    return True


def require_room(store: Path, source_bytes: int) -> None:
    """Raises DiskFull where there is no room to begin."""
    if not has_room(store):
        raise Need.estimate(store, source_bytes, 0).error(store)


def megabytes(size_bytes: int) -> str:
    """1234567 → "1.2 MB", 123456789 → "123 MB"."""
    megabytes = size_bytes / 1e6
    return f"{megabytes:,.1f} MB" if megabytes < 10 else f"{megabytes:,.0f} MB"


def _causes(error: BaseException) -> Iterator[BaseException]:
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__
