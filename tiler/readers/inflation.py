"""Limit on inflation, so that a few bytes of gzip cannot ask for any amount of memory, disk and time.

Of the traces in the corpus and of synthetic ones none inflates to more than 32 times its size. Gzip can reach 1,032.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Final

from tilescope.tiler.errors import TooLarge

DEFAULT_RATIO: Final = 100
DEFAULT_LEAST_BYTES: Final = 1 << 30


class Inflation:
    """Bytes inflated of one file on disk: of all members of an archive together, and of what is in them."""

    def __init__(self, path: Path, size_bytes: int, max_bytes: int | None = None) -> None:
        """`max_bytes` is the bound; None: 100 times the size, and at least 1 GiB."""
        self.path = path
        self.max_bytes = max(DEFAULT_LEAST_BYTES, DEFAULT_RATIO * size_bytes) if max_bytes is None else max_bytes
        self.inflated_bytes = 0
        self._counting = threading.Lock()

    def add(self, n: int) -> None:
        """Counts bytes that were inflated, by whatever thread. Raises `TooLarge` when they are too many."""
        with self._counting:
            self.inflated_bytes += n
            if self.inflated_bytes <= self.max_bytes:
                return
        what = f"inflates to more than {self.max_bytes:,} bytes"
        raise TooLarge(self.path, what, advice="if this is intended, allow more with --max-inflated")
