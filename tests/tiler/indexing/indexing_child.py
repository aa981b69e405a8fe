"""A process that indexes: `python indexing_child.py TRACE STORE [PHASE]`.

Prints each phase as it begins, and last the build id. With a PHASE it stops there until it may read a line.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tilescope.tiler.indexing import BuildProgress, build_store


def main(trace: str, store: str, stop_at: str = "") -> None:
    phases: list[str] = []

    def report(progress: BuildProgress) -> None:
        if progress.phase not in phases:
            phases.append(progress.phase)
            print(progress.phase, flush=True)
            if progress.phase == stop_at:
                sys.stdin.readline()

    print(build_store([Path(trace)], Path(store), progress=report), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
