"""Open files: a run of many hosts needs more of them than most systems allow a process at first."""

from __future__ import annotations

import resource
from typing import Final

_PER_FILE: Final = 2  # a trace and its map
_OTHERS: Final = 256  # scratch files, the store, what the process had before


def allow_open(files: int) -> None:
    """Raises the limit of this process as far as it may, if that many traces need it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = _PER_FILE * files + _OTHERS
    if soft != resource.RLIM_INFINITY and soft < needed:
        wanted = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
