"""Which blocks somebody looks at, and would like to be built first."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence


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

    def choose(self, waiting: Sequence[int], weight: Callable[[int], int]) -> int:
        """Which of the blocks that are not begun is next: the first that is wanted, else that of the largest weight."""
        left = set(waiting)
        for block in self.wanted:
            if block in left:
                return block
        return max(waiting, key=lambda block: (weight(block), -block))
