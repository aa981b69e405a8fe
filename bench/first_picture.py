"""Indexes a trace and prints how many seconds after the start of this process there was something to be seen of it.

python -m bench.first_picture TRACE STORE
"""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil

from tilescope.tiler.errors import Cancelled
from tilescope.tiler.indexing import BuildProgress, build_store


def main(trace: Path, store: Path) -> None:
    """The build is stopped then. Prints the time of the whole build where there was nothing to be seen before."""

    def stop_when_seen(progress: BuildProgress) -> None:
        if progress.revision:
            raise Cancelled("there is something to be seen")

    with suppress(Cancelled):
        build_store([trace], store, progress=stop_when_seen)
    print(time.time() - psutil.Process().create_time())


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
