"""The folders that are served, and nothing beyond: where a symbolic link leads out of them, the run is left out.

No path ever comes from a request: runs are found on disk and named by ids. But whoever may write into a served folder
could put a link there to what only the server may read.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

from tilescope.server.runs.sources import Discover
from tilescope.tiler.confinement import is_within
from tilescope.tiler.readers import DiscoveredRun

_log = logging.getLogger(__name__)


def within(roots: Sequence[Path], discover: Discover) -> Discover:
    """`discover` without the runs of which a file lies outside of all `roots`. Says so once for each.

    The roots themselves may be links: who names them on the command line means what they lead to.
    """
    resolved = [root.resolve() for root in roots]
    complained: set[Path] = set()

    def discover_inside(path: Path) -> Sequence[DiscoveredRun]:
        inside = []
        for run in discover(path):
            strangers = [file for file in run.files if not is_within(file, resolved)]
            if not strangers:
                inside.append(run)
            elif run.path not in complained:
                complained.add(run.path)
                _log.warning(
                    "%s is left out: %s leads out of what is served; name %s as well to serve it",
                    *(run.path, strangers[0], strangers[0].resolve().parent),
                )
        return inside

    return discover_inside
