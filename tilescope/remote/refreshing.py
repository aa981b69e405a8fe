"""Lists places again now and then, so that a server sees what jobs write to them."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from tilescope.tiler.blobs import Mirror
from tilescope.tiler.errors import TilescopeError

_log = logging.getLogger("tilescope.server")

# A list of a bucket costs money and counts against limits, where looking at a folder costs nothing.
INTERVAL_S: Final = 30.0


@contextmanager
def refreshed(mirrors: Sequence[Mirror], interval_s: float = INTERVAL_S) -> Iterator[None]:
    """Within the block a thread lists the places of the mirrors every so many seconds. Failures are logged once."""
    ended = threading.Event()

    def refresh() -> None:
        complaints: dict[Mirror, str] = {}
        while not ended.wait(interval_s):
            for mirror in mirrors:
                try:
                    mirror.refresh()
                    complaints.pop(mirror, None)
                except TilescopeError as error:
                    if complaints.get(mirror) != str(error):
                        complaints[mirror] = str(error)
                        _log.warning("%s", error)

    thread = threading.Thread(target=refresh, name="refresh", daemon=True)
    if mirrors:
        thread.start()
    try:
        yield
    finally:
        ended.set()
