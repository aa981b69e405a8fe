"""Schedule of the workers: tracks, block after block and those on screen first, and whatever can be done meanwhile.

All workers have something to do until the end: parts of the end of a block are shared, rollups wait for their own
tracks alone, and what is long and of one thread begins as early as it can. Blocks of few rows are the exception: most
of their work is Python's, which one thread does in two thirds of the time of two.
"""

from __future__ import annotations

import heapq
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final

from tilescope.tiler.indexing.priorities import Priorities
from tilescope.tiler.indexing.tracks.layout import PlacedTrack

Task = Callable[[], None]

# A block with no more rows is light: 128 for each of its tracks. 20,000 tracks of one row took 11 s of processor time
# instead of 19 s, and 11 s instead of 16 s.
_LIGHT_ROWS: Final = 1 << 12

_NOBODY: Final = -1  # is a thread


class Schedule:
    """Hands out tasks to any of several threads; each says `done` after each of them.

    The order: what is shared, as it frees memory; what is done beside the tracks; tracks; what waits for all of them;
    rollups. Blocks are begun as long as those that are in work leave room for them. When all tracks are built, one
    thread has a rollup while others do what is shared: the heaviest takes longer than all that can be shared then. It
    is built in parts, and all but the first are shared.
    """

    def __init__(
        self,
        blocks: Sequence[Sequence[PlacedTrack]],
        priorities: Priorities,
        rows_at_once: int,
        build: Callable[[PlacedTrack], None],
        *,
        rollups: Iterable[PlacedTrack] = (),
        beside: Iterable[Task] = (),
        after: Iterable[Task] = (),
    ) -> None:
        """`rows_at_once`: how many rows of blocks that are in work fit into memory; a block alone always does.

        `build` is for `blocks` and `rollups`, each rollup when its tracks are built; `beside` is begun first, `after`
        when all `blocks` are built.
        """
        self._priorities = priorities
        self._rows_at_once = rows_at_once
        self._build = build
        self._weights = [sum(track.weight for track in block) for block in blocks]
        self._left = [sorted(block, key=lambda track: track.weight) for block in blocks]  # the heaviest is taken first
        heaviest_first = sorted(range(len(blocks)), key=lambda number: -self._weights[number])
        self._waiting = {number: None for number in heaviest_first if blocks[number]}
        self._begun: list[int] = []  # those that have tracks left
        self._rows_now = 0
        self._rows_of: dict[int, int] = {}  # of each block that is in work, how many rows it counts for
        self._unbuilt = {track.id for block in blocks for track in block}
        self._ready: list[tuple[int, int, PlacedTrack]] = []  # rollups, a heap
        self._missing: dict[int, int] = {}  # of each rollup how many tracks
        self._waiting_for: defaultdict[int, list[PlacedTrack]] = defaultdict(list)  # of each track the rollups
        for track in rollups:
            self._add_rollup(track)
        self._shared: deque[Task] = deque()
        self._beside = deque(beside)
        self._after = deque(after)
        self._running = 0
        self._rollups_running = 0
        self._light: int | None = None  # the thread that has a light block
        self._stopped = False
        self._change = threading.Condition()

    def take(self) -> Task | None:
        """The next task; waits while others may bring some. None: there will be none."""
        with self._change:
            while not self._stopped:
                task = self._next()
                if task is not None:
                    self._running += 1
                    return task
                if not self._running:
                    return None
                self._change.wait()
            return None

    def done(self) -> None:
        """A task that was taken is done."""
        with self._change:
            self._running -= 1
            self._change.notify_all()

    def share(self, tasks: Iterable[Task]) -> None:
        """More to do, before anything else. What a light block shares is done at once."""
        if self._light == threading.get_ident():
            for task in tasks:
                task()
            return
        with self._change:
            self._shared.extend(tasks)
            self._change.notify_all()

    def built(self, track: int) -> None:
        """One of the tracks of `blocks` is built."""
        with self._change:
            self._unbuilt.discard(track)
            for rollup in self._waiting_for.pop(track, ()):
                self._missing[rollup.id] -= 1
                self._add_when_ready(rollup)
            if self._light is None:
                self._change.notify_all()

    def needs(self, number: int, share: float) -> None:
        """The block needs no more than that share of its memory from now on, however often that is said.

        Nothing, where a thread has ended it.
        """
        with self._change:
            if number not in self._rows_of:
                return
            rows = int(share * self._weights[number])
            self._rows_now -= self._rows_of[number] - rows
            self._rows_of[number] = rows
            self._change.notify_all()

    def ended(self, number: int) -> None:
        """The block needs no more memory."""
        with self._change:
            self._rows_now -= self._rows_of.pop(number)
            self._change.notify_all()

    @property
    def stopped(self) -> bool:
        """True if somebody has stopped it."""
        return self._stopped

    def stop(self) -> None:
        """Nothing more is handed out."""
        with self._change:
            self._stopped = True
            self._change.notify_all()

    def _next(self) -> Task | None:
        if self._ready and not self._unbuilt and self._running and not self._rollups_running:
            return self._next_rollup()
        for tasks in (self._shared, self._beside):
            if tasks:
                return tasks.popleft()
        begun = self._begin_block()
        if begun is not None:
            return begun
        if self._after and not self._unbuilt:
            return self._after.popleft()
        return self._next_rollup() if self._ready else None

    def _next_rollup(self) -> Task:
        self._rollups_running += 1
        return partial(self._build_rollup, heapq.heappop(self._ready)[-1])

    def _build_rollup(self, track: PlacedTrack) -> None:
        try:
            self._build(track)
        finally:
            with self._change:
                self._rollups_running -= 1

    def _begin_block(self) -> Task | None:
        """The next track of a block, or all of a light one."""
        if not self._begun and self._waiting:
            number = self._priorities.choose(self._waiting)
            is_light = self._weights[number] <= _LIGHT_ROWS
            has_room = self._rows_now == 0 or self._rows_now + self._weights[number] <= self._rows_at_once
            if not has_room or (is_light and self._light is not None):
                return None
            del self._waiting[number]
            self._rows_of[number] = max(1, self._weights[number])
            self._rows_now += self._rows_of[number]
            if is_light:
                self._light = _NOBODY
                return partial(self._build_light, self._left[number])
            self._begun.append(number)
        if not self._begun:
            return None
        number = self._begun[0]
        track = self._left[number].pop()
        if not self._left[number]:
            self._begun.pop(0)
        return partial(self._build, track)

    def _build_light(self, tracks: list[PlacedTrack]) -> None:
        self._light = threading.get_ident()
        try:
            while tracks and not self._stopped:
                self._build(tracks.pop())
        finally:
            self._light = None  # `done` says so

    def _add_rollup(self, track: PlacedTrack) -> None:
        missing = self._unbuilt.intersection(track.children)
        self._missing[track.id] = len(missing)
        for child in missing:
            self._waiting_for[child].append(track)
        self._add_when_ready(track)

    def _add_when_ready(self, rollup: PlacedTrack) -> None:
        if not self._missing[rollup.id]:
            heapq.heappush(self._ready, (-rollup.weight, rollup.id, rollup))
