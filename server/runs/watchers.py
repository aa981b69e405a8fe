"""Clients that watch runs while they are indexed: whom to wake, and which blocks they look at."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, zip_longest
from typing import Final

from tilescope.tiler.schema import LIMITS

MAX_WANTED: Final = LIMITS.watch_blocks


class Watcher:
    """One of them."""

    def __init__(self) -> None:
        self.changed = asyncio.Event()  # set whenever something has become of the run
        self.wanted: tuple[int, ...] = ()

    def want(self, blocks: Sequence[int]) -> None:
        """The complete list of blocks on screen, most urgent first. Of a longer one the first count."""
        self.wanted = tuple(blocks[:MAX_WANTED])


class Watchers:
    """All of them, by run."""

    def __init__(self) -> None:
        self._watchers: dict[str, list[Watcher]] = {}

    @contextmanager
    def watching(self, run_id: str) -> Iterator[Watcher]:
        """One more, as long as the block lasts."""
        watcher = Watcher()
        self._watchers.setdefault(run_id, []).append(watcher)
        try:
            yield watcher
        finally:
            self._watchers[run_id].remove(watcher)
            if not self._watchers[run_id]:
                del self._watchers[run_id]

    def wake(self, run_id: str) -> None:
        """Something has become of the run."""
        for watcher in self._watchers.get(run_id, ()):
            watcher.changed.set()

    def wanted(self, run_id: str) -> tuple[int, ...]:
        """Blocks that they want: the first of each, then the second of each, and so on: nobody waits for another."""
        lists = [watcher.wanted for watcher in self._watchers.get(run_id, ())]
        in_turn = chain.from_iterable(zip_longest(*lists))
        return tuple(dict.fromkeys(block for block in in_turn if block is not None))[:MAX_WANTED]
