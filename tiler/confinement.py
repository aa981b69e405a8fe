"""Folders that are not to be left: a symbolic link in one may lead out, now or a moment after somebody looked."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


def is_within(path: Path, folders: Iterable[Path]) -> bool:
    """True if a path lies in one of the folders once all links are followed; the folders are resolved already.

    What does not exist yet lies where it would be made.
    """
    target = path.resolve()
    return any(target.is_relative_to(folder) for folder in folders)
