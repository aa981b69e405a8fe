"""Critical paths: what the time of a span waits for, from its end back to its start."""

from tilescope.tiler.facts.critical_path.graph import ENDLESS
from tilescope.tiler.facts.critical_path.kinds import (
    KIND_TITLES,
    KIND_WORDS,
    WAIT_TITLES,
    PathKind,
    PathKindWord,
    WaitKind,
)
from tilescope.tiler.facts.critical_path.lane_work import MOST_SLICES
from tilescope.tiler.facts.critical_path.process_path import CriticalPath, critical_path, work_extent
from tilescope.tiler.facts.critical_path.processes import PathProcess, path_processes

__all__ = [
    "ENDLESS",
    "KIND_TITLES",
    "KIND_WORDS",
    "MOST_SLICES",
    "WAIT_TITLES",
    "CriticalPath",
    "PathKind",
    "PathKindWord",
    "PathProcess",
    "WaitKind",
    "critical_path",
    "path_processes",
    "work_extent",
]
