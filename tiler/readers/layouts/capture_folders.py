"""Folders that the hosts of a job have captured into, each its own, seconds apart: `…_04_47_36` and `…_04_47_38`.

A host names its folder by the time at which its capture began. Such folders lie beside each other, and are one run if
they are at most 60 s apart and have no host in common. Whether their times overlap is known once they are read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final

from msgspec import Struct

from tilescope.tiler.readers.layouts.log_directory import time_in_name
from tilescope.tiler.readers.run_files import host_of, is_host_file

_FARTHEST_S: Final = 60  # from the first folder to the last
_NAMED: Final = 4
_DECADE_CHARS: Final = -1  # without the last digit of the seconds
_NAME: Final = re.compile(r"\d{4}(?:_\d{1,2}){4}_\d{0,2}\*")


class CaptureFolder(Struct, frozen=True):
    """A folder of files of hosts, called by the time of their capture."""

    path: Path
    time_s: int
    hosts: frozenset[str]


class JoinedFolders(Struct, frozen=True):
    """Folders that are shown together."""

    name: str  # beside the folders, where nothing is called so
    folders: Sequence[CaptureFolder]  # by time

    @property
    def note(self) -> str:
        """As in "2 folders seconds apart are one run: 2026_01_31_04_47_36 and 2026_01_31_04_47_38 (…)"."""
        names = [folder.path.name for folder in self.folders]
        more = len(names) - _NAMED
        if more > 1:
            names = [*names[:_NAMED], f"{more} more"]
        text = f"{', '.join(names[:-1])} and {names[-1]}"
        return f"{len(self.folders)} folders seconds apart are one run: {text} (--separate shows each)"


def capture_folder(path: Path, files: Sequence[Path]) -> CaptureFolder | None:
    """The folder of a run with these files; None where its name is no time, or no file is that of a host."""
    captured = time_in_name(path.name)
    if captured is None:
        return None
    hosts = frozenset(host_of(file) for file in files if is_host_file(file))
    seconds = (captured - captured.min).total_seconds()
    return CaptureFolder(path, int(seconds), hosts) if hosts else None


def may_join(name: str) -> bool:
    """True for a name that folders may have together."""
    return _NAME.fullmatch(name) is not None


def join_folders(folders: Sequence[CaptureFolder]) -> list[JoinedFolders]:
    """The runs of several folders. The nearest two are joined first, so that a lost folder takes none of the next."""
    beside: dict[Path, list[CaptureFolder]] = {}
    for folder in folders:
        beside.setdefault(folder.path.parent, []).append(folder)
    joined = []
    for siblings in beside.values():
        runs = [run for run in _runs(siblings) if len(run) > 1]
        decades = Counter(_decade(run) for run in runs)
        for run in runs:
            stem = run[0].path.name if decades[_decade(run)] > 1 else _decade(run)
            joined.append(JoinedFolders(f"{stem}*", run))
    return joined


def _runs(folders: Sequence[CaptureFolder]) -> list[list[CaptureFolder]]:
    """All folders, in runs of one or more, by time."""
    in_order = sorted(folders, key=lambda folder: (folder.time_s, folder.path.name))
    run_of = [[folder] for folder in in_order]  # by folder, a list that those of a run have in common
    hosts_of = [set(folder.hosts) for folder in in_order]
    gaps = sorted((after.time_s - before.time_s, number) for number, (before, after) in enumerate(pairwise(in_order)))
    for gap, number in gaps:
        if gap > _FARTHEST_S:
            break
        left, right = run_of[number], run_of[number + 1]
        if right[-1].time_s - left[0].time_s > _FARTHEST_S or not hosts_of[number].isdisjoint(hosts_of[number + 1]):
            continue
        first = number + 1 - len(left)
        left += right
        hosts_of[number] |= hosts_of[number + 1]
        for place in range(first, first + len(left)):
            run_of[place], hosts_of[place] = left, hosts_of[number]
    return list({id(run): run for run in run_of}.values())


def _decade(run: Sequence[CaptureFolder]) -> str:
    """The name of the first folder, to ten seconds: a folder that comes later seldom changes it."""
    return run[0].path.name[:_DECADE_CHARS]
