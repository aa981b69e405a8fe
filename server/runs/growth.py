"""Runs that are still being written: their files change from one look to the next, or did so a moment ago.

Nothing else tells: formats have no mark at their end that holds for all, and who writes may be another machine. A
profiler that pauses is taken for done, and its run is indexed; when it goes on, it is given more time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tilescope.server.runs.run import FoundRun

SETTLE_S: Final = 2.0  # without a change, until files count as complete
MOST_SETTLE_S: Final = 60.0  # the same for files that go on again and again: twice as long each time
RECENT_S: Final = 0.5  # how long ago a file was written that is seen for the first time, and may be about to grow
FORGIVEN_AFTER_S: Final = 600.0  # without a change, until a run is taken for one that was never seen to go on


@dataclass(slots=True)
class _Seen:
    store: Path  # another one when names, sizes or times of files are
    changed_at_s: float | None  # by our clock; None: as it was when it was seen first
    is_recent: bool = False
    is_complete: bool = False  # taken for that when it was looked at last
    resumed: int = 0  # how often it went on when it was taken for complete


class Growth:
    """State of the files of the runs, look by look. `settle_s` 0: nothing ever grows."""

    def __init__(
        self,
        settle_s: float = SETTLE_S,
        *,
        now_s: Callable[[], float] = time.monotonic,
        now_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._settle_s = settle_s
        self._now_s = now_s
        self._now_ns = now_ns
        self._seen: dict[str, _Seen] = {}

    def look(self, runs: Iterable[FoundRun]) -> None:
        """To be called with all runs whenever they were looked for. Stores do not grow."""
        self._seen = {run.id: self._look(run) for run in runs if run.files}

    def finish(self, run: FoundRun) -> None:
        """Its files are complete: who has written them says so."""
        self._seen[run.id] = _Seen(run.store, None)

    def is_changing(self, run: FoundRun) -> bool:
        """True if the run was seen to change, and not long enough ago."""
        seen = self._seen.get(run.id)
        return seen is not None and not seen.is_recent and self._is_unsettled(seen)

    def may_grow(self, run: FoundRun) -> bool:
        """The same, or it was written a moment before it was seen first: another look will tell."""
        seen = self._seen.get(run.id)
        return seen is not None and self._is_unsettled(seen)

    def _look(self, run: FoundRun) -> _Seen:
        seen, now_s = self._seen.get(run.id), self._now_s()
        if seen is None:
            is_recent = 0 <= self._now_ns() - run.modified_ns < RECENT_S * 1e9
            return _Seen(run.store, now_s if is_recent else None, is_recent)
        if seen.store == run.store:
            seen.is_complete = not self._is_unsettled(seen)
            return seen
        resumed = seen.resumed
        if seen.is_complete:
            is_forgiven = seen.changed_at_s is None or now_s - seen.changed_at_s > FORGIVEN_AFTER_S
            resumed = 0 if is_forgiven else resumed + 1
        return _Seen(run.store, now_s, resumed=resumed)

    def _is_unsettled(self, seen: _Seen) -> bool:
        if seen.changed_at_s is None or not self._settle_s:
            return False
        settle_s = min(self._settle_s * 2.0 ** min(seen.resumed, 30), MOST_SETTLE_S)
        return self._now_s() - seen.changed_at_s < settle_s
