"""Runs as they were last seen in folders and archives: a list is asked for again and again while little changes."""

from __future__ import annotations

import threading
from collections.abc import Hashable

from tilescope.tiler.readers.container import Listing
from tilescope.tiler.readers.discovered_run import DiscoveredRun
from tilescope.tiler.readers.disk_folders import DiskFolder

Content = DiskFolder | Listing


class KeptRuns:
    """The runs of so many files at most: those of the place seen longest ago go first.

    One version of each place: files grow while they are written, and each time all of it is another one.
    """

    def __init__(self, most_files: int) -> None:
        self._most_files = most_files
        self._files = 0
        self._runs: dict[Hashable, tuple[Content, tuple[DiscoveredRun, ...]]] = {}
        self._lock = threading.Lock()

    def get(self, place: Hashable, content: Content) -> tuple[DiscoveredRun, ...] | None:
        """The runs, if what is there is as it was."""
        with self._lock:
            kept = self._runs.pop(place, None)
            if kept is None:
                return None
            self._runs[place] = kept
            return kept[1] if kept[0] == content else None

    def keep(self, place: Hashable, content: Content, runs: tuple[DiscoveredRun, ...]) -> None:
        """Keeps runs in place of those of an older version, as far as there is room."""
        with self._lock:
            older = self._runs.pop(place, None)
            self._files += _count(content) - (0 if older is None else _count(older[0]))
            self._runs[place] = content, runs
            while self._files > self._most_files:
                oldest, _ = self._runs.pop(next(iter(self._runs)))
                self._files -= _count(oldest)

    def clear(self) -> None:
        """Forgets all of them."""
        with self._lock:
            self._runs.clear()
            self._files = 0


def _count(content: Content) -> int:
    return len(content.files if isinstance(content, DiskFolder) else content.members)
