"""Symbolic links to folders, as a search meets them: each is followed where its folder is shown by no other path.

They wait until all folders that lie below the root have been gone through: `latest`, a link to the newest run, is no
second run. But `plugins/profile/RUN` that leads to a folder which is no run by its own place makes a run of it, and
takes the place of what that folder shows.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from tilescope.tiler.confinement import is_within
from tilescope.tiler.readers.folder_listing import path_below
from tilescope.tiler.readers.layouts.log_directory import has_run_place
from tilescope.tiler.readers.left_out import LeftOut


class FolderPlace(NamedTuple):
    """A folder that a search meets, or a link to one."""

    path: str
    parts: tuple[str, ...]  # of its path below the root
    real: str  # the path without links, but for the last part of a link

    def below(self, name: str) -> FolderPlace:
        """The place `name` in this folder."""
        path, real = (path_below(folder, name) for folder in (self.path, self.real))
        return FolderPlace(path, (*self.parts, name), real)


class FolderLinks:
    """Links that wait, and those that lead out of what `is_served`, by default `root`, and are not followed."""

    def __init__(self, root: Path, is_served: Callable[[Path], bool] | None) -> None:
        folders = [root.resolve()]
        self._is_served = is_served or (lambda link: is_within(link, folders))
        self._waiting: list[FolderPlace] = []
        self._followed: set[str] = set()  # folders, without links in their paths
        self.again: list[Path] = []  # those that make runs of folders which were gone through before
        self.astray = LeftOut("more links are left out: they lead out of what is served")
        self.first_outside = ""  # the folder to which the first of them leads

    def add(self, link: FolderPlace) -> None:
        """Has a link wait."""
        self._waiting.append(link)

    def follow(self, gone_through: set[str]) -> Iterator[FolderPlace]:
        """The folders to go through next, as the links name them; no link waits afterwards."""
        waiting, self._waiting = sorted(self._waiting), []
        for link in waiting:
            target = os.path.realpath(link.path)
            if not self._is_served(Path(link.path)):
                self.astray.add("/".join(link.parts), "it leads out of what is served")
                self.first_outside = self.first_outside or target
            elif self._leads_on(link, target, gone_through):
                self._followed.add(target)
                if target in gone_through:
                    self.again.append(Path(link.path))
                yield FolderPlace(link.path, link.parts, target)

    def _leads_on(self, link: FolderPlace, target: str, gone_through: set[str]) -> bool:
        if target in self._followed or link.real.startswith(f"{target.rstrip('/')}/"):  # which would not end
            return False
        return target not in gone_through or (has_run_place(Path(link.path)) and not has_run_place(Path(target)))
