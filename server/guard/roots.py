"""The folders that are served, and nothing beyond: a symbolic link that leads out of them is left out.

No path ever comes from a request: runs are found on disk and named by ids. But whoever may write into a served folder
could put a link there to what only the server may read.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from tilescope.server.runs.sources import Discover
from tilescope.tiler.confinement import is_within
from tilescope.tiler.errors import TooMany
from tilescope.tiler.readers import DiscoveredRun

_log = logging.getLogger(__name__)


class DiscoverServed(Protocol):
    """Finds the runs at a path, without the links in it that are not served."""

    def __call__(self, path: Path, /, *, is_served: Callable[[Path], bool]) -> Sequence[DiscoveredRun]: ...


def _folder_at(path: Path) -> Path:
    return path if path.is_dir() else path.parent


def within(roots: Sequence[Path], discover: DiscoverServed) -> Discover:
    """`discover` without the links that lead out of all `roots`: the other files of a run stay. Says so once for each.

    The roots themselves may be links: who names them on the command line means what they lead to.
    """
    resolved = [root.resolve() for root in roots]
    complained: set[Path] = set()

    def is_inside(file: Path) -> bool:
        if is_within(file, resolved):
            return True
        if file not in complained:
            complained.add(file)
            _log.warning(
                "%s is left out: it leads out of what is served; name %s as well to serve it",
                *(file, _folder_at(file.resolve())),
            )
        return False

    def discover_inside(path: Path) -> Sequence[DiscoveredRun]:
        try:
            runs = discover(path, is_served=is_inside)
        except TooMany as error:
            if path not in complained:
                complained.add(path)
                _log.warning("%s", error)
            raise
        # All files are looked at again: what was none may be a link by now. Their folders are resolved once each, since
        # following the path of each of 10,000 files takes as long as all else in a list.
        inside_by_folder: dict[str, bool] = {}

        def is_still_inside(file: Path) -> bool:
            text = os.fspath(file)
            folder = text.rpartition(os.sep)[0]
            if folder not in inside_by_folder:
                inside_by_folder[folder] = bool(folder) and is_within(Path(folder), resolved)
            return (inside_by_folder[folder] and not file.is_symlink()) or is_inside(file)

        return [run for run in runs if all(map(is_still_inside, run.files))]

    return discover_inside
