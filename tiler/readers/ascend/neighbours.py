"""Files of the first generation of MindSpore's profiler beside one of them, of the same device."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import Final

from tilescope.tiler.readers.ascend.families import TIMELINE_NAMES, rank_in_name
from tilescope.tiler.readers.compression import without_ending

_CLOCK: Final = re.compile(r"(?:min_cycle_counter|output_timeline_data)_\d+\.txt")


def has_timeline(path: Path, files: Collection[Path]) -> bool:
    """True if the timeline of the same device is among these files."""
    return _has(path, files, TIMELINE_NAMES)


def has_clock(path: Path, files: Collection[Path]) -> bool:
    """True if a file among these says at which tick of the device the timeline begins."""
    return _has(path, files, _CLOCK)


def _has(path: Path, files: Collection[Path], name: re.Pattern[str]) -> bool:
    rank = rank_in_name(path)
    return any(
        file.parent == path.parent
        and name.fullmatch(without_ending(file.name)) is not None
        and rank_in_name(file) == rank
        for file in files
    )
