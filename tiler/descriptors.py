"""Open files: a run of many hosts needs more of them than most systems allow a process at first."""

from __future__ import annotations

from typing import Final

from tilescope.tiler.system import UNLIMITED, open_file_limits, set_open_file_limits

_PER_FILE: Final = 2  # a trace and its map
_OTHERS: Final = 256  # scratch files, the store, what the process had before


def allow_open(files: int) -> None:
    """Raises the limit of this process as far as it may, if that many traces need it."""
    soft, hard = open_file_limits()
    needed = _PER_FILE * files + _OTHERS
    if soft != UNLIMITED and soft < needed:
        wanted = needed if hard == UNLIMITED else min(needed, hard)
        set_open_file_limits(max(soft, wanted), hard)
