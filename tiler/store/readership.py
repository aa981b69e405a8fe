"""File modes of an index: only those who may read all of its traces may read it."""

from __future__ import annotations

import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Final

PRIVATE: Final = 0o700  # of a folder

_GROUP: Final = 0o050
_OTHERS: Final = 0o005


def folder_mode(files: Sequence[Path], beside: Path) -> int:
    """The mode of a folder for an index of these files; `beside` is the folder that it will be in, or is to be.

    The process' umask still applies. Others may read it if they may read all files, and pass all folders above them;
    the group of the index may if it is that of all these. Raises OSError for a file that is gone.
    """
    places = [place for file in files for place in (file.absolute(), *file.absolute().parents)]
    modes = [(place, place.stat()) for place in dict.fromkeys(places)]
    mode = PRIVATE
    if all(_has(status.st_mode, stat.S_IROTH, stat.S_IXOTH) for _, status in modes):
        mode |= _OTHERS | _GROUP
    group = _nearest(beside).stat().st_gid
    if all(
        _has(status.st_mode, stat.S_IROTH, stat.S_IXOTH)
        or (status.st_gid == group and _has(status.st_mode, stat.S_IRGRP, stat.S_IXGRP))
        for _, status in modes
    ):
        mode |= _GROUP
    return mode


def _has(mode: int, read: int, search: int) -> bool:
    """True if a file may be read, or a folder passed."""
    return bool(mode & (search if stat.S_ISDIR(mode) else read))


def _nearest(folder: Path) -> Path:
    return next(place for place in (folder, *folder.absolute().parents) if place.exists())
