"""Files of the first generation of MindSpore's profiler beside each other, by folder and device."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import Final

from tilescope.tiler.readers.ascend.families import TIMELINE_NAMES, rank_in_name
from tilescope.tiler.readers.compression import without_ending

_CLOCK: Final = re.compile(r"(?:min_cycle_counter|output_timeline_data)_\d+\.txt")

_Place = tuple[Path, int | None]


class Neighbours:
    """The files of a run, looked through once: there may be thousands, and each asks."""

    def __init__(self, files: Collection[Path]) -> None:
        self._timelines: dict[_Place, Path] = {}
        self._with_clock: set[_Place] = set()
        for file in files:
            name = without_ending(file.name)
            if TIMELINE_NAMES.fullmatch(name):
                self._timelines.setdefault(_place(file), file)
            elif _CLOCK.fullmatch(name):
                self._with_clock.add(_place(file))

    def timeline_of(self, path: Path) -> Path | None:
        """The timeline of the device that a file is of."""
        return self._timelines.get(_place(path))

    def has_clock(self, path: Path) -> bool:
        """True if a file says at which tick of that device the timeline begins."""
        return _place(path) in self._with_clock


def _place(path: Path) -> _Place:
    return path.parent, rank_in_name(path)
