from __future__ import annotations

import errno
from pathlib import Path

import pytest

from tilescope.tiler.errors import DamagedStore, DiskFull, StoreError
from tilescope.tiler.store.disk_space import Need, has_room, is_full, megabytes

MB = 1_000_000


def caused(error: Exception, cause: BaseException) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), True),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), True),
        (OSError(errno.EIO, "Input/output error"), False),
        (DiskFull("full"), True),
        (caused(StoreError("no scratch"), OSError(errno.ENOSPC, "No space left on device")), True),
        (caused(StoreError("no scratch"), OSError(errno.EACCES, "Permission denied")), False),
        (DamagedStore("damaged"), False),
        (KeyboardInterrupt(), False),
    ],
)
def test_which_errors_are_for_want_of_room(error: BaseException, expected: bool) -> None:
    assert is_full(error) == expected


@pytest.mark.parametrize(
    ("written", "share_bytes", "share", "missing"),
    [
        (0, 0, 0.0, 65 * MB),  # nothing is known but the size of the trace
        (30 * MB, 1 * MB, 0.01, 35 * MB),  # as good as nothing
        (30 * MB, 20 * MB, 0.5, 10 * MB),
        (50 * MB, 40 * MB, 1.0, 1 << 20),  # more than was expected: the least that is needed
    ],
)
def test_what_is_missing(tmp_path: Path, written: int, share_bytes: int, share: float, missing: int) -> None:
    need = Need.estimate(tmp_path, 100 * MB, written, share_bytes, share)
    assert need.missing_bytes == missing
    assert need.free_bytes > 0


def test_what_could_not_be_had_at_once_is_the_least_that_is_missing() -> None:
    need = Need(missing_bytes=5 * MB, free_bytes=2 * MB)
    error = caused(StoreError("later"), DiskFull("scratch", needed_bytes=256 * MB))
    assert need.at_least(error).missing_bytes == 256 * MB
    assert need.at_least(DiskFull("small", needed_bytes=1 * MB)) == need
    assert need.at_least(OSError(errno.ENOSPC, "")) == need
    assert str(need.error(Path("/data/a.store"))) == (
        "/data/a.store: the disk is full: the index needs about 5.0 MB more, 2.0 MB are free there "
        "(make room, or name a folder on another disk)"
    )


def test_megabytes() -> None:
    assert [megabytes(size) for size in (0, 1_234_567, 123_456_789, 12_345 * MB)] == [
        "0.0 MB",
        "1.2 MB",
        "123 MB",
        "12,345 MB",
    ]


def test_asking_for_room_leaves_nothing(tmp_path: Path) -> None:
    assert has_room(tmp_path)
    assert list(tmp_path.iterdir()) == []
