"""Which track is built next, by any of several workers: blocks one after the other, those on screen first."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from tilescope.tiler.indexing.priorities import Priorities
from tilescope.tiler.indexing.tracks.layout import PlacedTrack


class Schedule:
    """Hands out tracks. Blocks are begun as long as those that are in work leave room for them."""

    def __init__(self, blocks: Sequence[Sequence[PlacedTrack]], priorities: Priorities, rows_at_once: int) -> None:
        """`rows_at_once`: how many rows of blocks that are in work fit into memory; a block alone always does."""
        self._priorities = priorities
        self._rows_at_once = rows_at_once
        self._weights = [sum(track.weight for track in block) for block in blocks]
        self._left = [sorted(block, key=lambda track: track.weight) for block in blocks]  # the heaviest is taken first
        self._unbuilt = [len(block) for block in blocks]
        heaviest_first = sorted(range(len(blocks)), key=lambda number: -self._weights[number])
        self._waiting = {number: None for number in heaviest_first if blocks[number]}
        self._begun: list[int] = []  # those that have tracks left
        self._rows_now = 0
        self._stopped = False
        self._change = threading.Condition()

    def take(self) -> PlacedTrack | None:
        """The next track; waits until there is room for it. None: there is none left."""
        with self._change:
            while not self._stopped:
                if not self._begun and self._waiting:
                    number = self._priorities.choose(self._waiting)
                    if self._rows_now == 0 or self._rows_now + self._weights[number] <= self._rows_at_once:
                        del self._waiting[number]
                        self._begun.append(number)
                        self._rows_now += max(1, self._weights[number])
                if self._begun:
                    number = self._begun[0]
                    track = self._left[number].pop()
                    if not self._left[number]:
                        self._begun.pop(0)
                    return track
                if not self._waiting:
                    return None
                self._change.wait()
            return None

    def built(self, number: int) -> bool:
        """A track of this block is built. True when it was the last: whoever is told so ends the block."""
        with self._change:
            self._unbuilt[number] -= 1
            return self._unbuilt[number] == 0

    def ended(self, number: int) -> None:
        """The block needs no more memory."""
        with self._change:
            self._rows_now -= max(1, self._weights[number])
            self._change.notify_all()

    @property
    def stopped(self) -> bool:
        """Whether somebody has stopped it."""
        return self._stopped

    def stop(self) -> None:
        """Nothing more is handed out."""
        with self._change:
            self._stopped = True
            self._change.notify_all()
