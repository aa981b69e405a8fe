"""A process that indexes a trace N times, and shortens it while it does: `python shrinking_traces.py TRACE SEED N`.

Prints a line of JSON for each build: how it ended, and what was left in the store. A signal would end it without one.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path

from tilescope.tiler.errors import TilescopeError
from tilescope.tiler.indexing import BuildProgress, build_store


def index(trace: Path, store: Path, moment: float | str, size: int) -> str:
    """`moment`: a phase, as whose beginning the trace is shortened, or seconds after which that happens."""

    def report(progress: BuildProgress) -> None:
        if progress.phase == moment:
            os.truncate(trace, min(size, trace.stat().st_size))

    timer = threading.Timer(moment if isinstance(moment, float) else 1e3, os.truncate, (trace, size))
    timer.start()
    try:
        build_store([trace], store, progress=report, force=True)
    except TilescopeError as error:
        return f"{type(error).__name__}: {error}"
    finally:
        timer.cancel()
        timer.join()
    return "indexed"


def main(original: Path, seed: int, builds: int) -> None:
    generator = random.Random(seed)
    seconds = 0.1
    with tempfile.TemporaryDirectory() as name:
        for number in range(builds):
            trace, store = Path(name, original.name), Path(name, "store")
            shutil.copy(original, trace)
            whole = trace.stat().st_size
            # The first build stays undisturbed, and tells how long one takes; then phases, and random moments.
            moments: list[float | str] = [1e3, "read", "build", "publish"]
            moment = moments[number] if number < len(moments) else seconds * generator.random()
            size = generator.choice([0, whole // 2, whole - 1, generator.randrange(whole)])
            begin = time.monotonic()
            outcome = index(trace, store, moment, size)
            seconds = time.monotonic() - begin if number == 0 else seconds
            left = sorted(path.name for path in store.iterdir())
            shrunk = trace.stat().st_size < whole
            print(json.dumps({"moment": moment, "outcome": outcome, "left": left, "shrunk": shrunk}), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
