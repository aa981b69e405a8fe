"""Priorities of blocks: those that somebody looks at are to be built first."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence


class Priorities:
    """The blocks on screen, most urgent first. Told by one thread, asked by another."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._wanted: tuple[int, ...] = ()

    def want(self, blocks: Sequence[int]) -> None:
        """The complete list, which replaces the last. Numbers of blocks that do not exist are of no effect."""
        with self._lock:
            self._wanted = tuple(dict.fromkeys(blocks))

    @property
    def wanted(self) -> tuple[int, ...]:
        """The list as it is now."""
        with self._lock:
            return self._wanted

    def choose(self, waiting: Collection[int]) -> int:
        """Next of the blocks that are not begun: the first that is wanted, else the first of them."""
        return next((block for block in self.wanted if block in waiting), next(iter(waiting)))
