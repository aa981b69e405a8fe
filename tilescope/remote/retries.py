"""Pauses between attempts: how often a host is asked again, and after how long."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Final

from msgspec import Struct

_MAX_PAUSE_S: Final = 20.0
_MAX_RETRY_AFTER_S: Final = 60.0  # a host that wants more is not waited for


class Retries(Struct, frozen=True):
    """Attempts and pauses: 0.2 s, 0.4 s, 0.8 s and so on, each shortened by chance, or what the host asks for.

    Attempts are counted since one that brought 30 kB: a long object may be cut often.
    """

    attempts: int = 6
    first_pause_s: float = 0.2
    sleep: Callable[[float], None] = time.sleep

    def wait(self, failures: int, retry_after_s: float | None = None) -> bool:
        """Sleeps after so many failures; False, at once, when there have been too many."""
        if failures >= self.attempts or (retry_after_s or 0) > _MAX_RETRY_AFTER_S:
            return False
        pause_s = min(self.first_pause_s * 2 ** (failures - 1), _MAX_PAUSE_S) * random.uniform(0.5, 1)
        self.sleep(max(pause_s, retry_after_s or 0))
        return True
