"""Indexes a trace and prints how many seconds after it was asked for there was something to be seen of it.

python -m bench.first_picture TRACE STORE BEGUN

BEGUN is what the clock said (`time.time()`) before this process was started. What the system says of its start is
counted from a boot time in whole seconds on Linux, so that up to a second of it would be of no picture at all.
"""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from pathlib import Path

from tilescope.tiler.errors import Cancelled
from tilescope.tiler.indexing import BuildProgress, build_store


def main(trace: Path, store: Path, begun: float) -> None:
    """The build is stopped then. Prints the time of the whole build where there was nothing to be seen before."""

    def stop_when_seen(progress: BuildProgress) -> None:
        if progress.revision:
            raise Cancelled("there is something to be seen")

    with suppress(Cancelled):
        build_store([trace], store, progress=stop_when_seen)
    print(time.time() - begun)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3]))
