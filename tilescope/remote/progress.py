"""Progress of an answer that is read: of one that hardly moves, reading ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

# So many bytes in so many seconds: 1 kB/s, a hundredth of the slowest line on which a trace is worth opening.
LEAST_BYTES: Final = 30_000
WINDOW_S: Final = 30.0


class DrippingHost(Exception):
    """An answer that hardly moves. No error of urllib3, which would take it for one that may pass."""

    def __init__(self) -> None:
        super().__init__(f"the web server sends fewer than {LEAST_BYTES:,} bytes in {WINDOW_S:.0f} s")


class Progress:
    """Counts bytes as they come. `clock`: seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._begun_s = clock()
        self._bytes = 0

    def is_too_slow(self, size_bytes: int) -> bool:
        """Takes in so many bytes. True where a window has ended with fewer than `LEAST_BYTES`."""
        self._bytes += size_bytes
        now_s = self._clock()
        if now_s - self._begun_s < WINDOW_S:
            return False
        is_slow = self._bytes < LEAST_BYTES
        self._begun_s, self._bytes = now_s, 0
        return is_slow
