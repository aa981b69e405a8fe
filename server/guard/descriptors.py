"""Files and sockets that this process may have open: connections leave room for stores, workers and the log."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tilescope.server.settings import Settings
from tilescope.tiler.system import UNLIMITED, open_file_limits, set_open_file_limits

MOST: Final = 65_536  # a higher limit is left as it is, and not used
RESERVED: Final = 256  # for what is no connection


def raise_limit() -> int:
    """Raises the limit on open files as far as it goes, and returns the number of files that may be open."""
    soft, hard = open_file_limits()
    most = MOST if hard == UNLIMITED else min(hard, MOST)
    if soft == UNLIMITED or soft >= most:
        return MOST if soft == UNLIMITED else soft
    set_open_file_limits(most, hard)
    return most


def fit(settings: Settings, files: int) -> Settings:
    """The settings, with fewer connections where so many do not fit into the files: one address has half of them."""
    room = max(files - RESERVED, files // 2)
    most = max(room // 2, 1)  # over HTTP, and as many over gRPC
    if settings.max_connections <= most:
        return settings
    per_client = min(settings.max_connections_per_client, max(most // 2, 1))
    return replace(settings, max_connections=most, max_connections_per_client=per_client)
