"""The child process that indexes one run: `python -m tilescope.server.runs.worker`, started by `job.run_job`.

Reads the job from standard input and reports on standard output, a line of JSON each. It ends when its parent does.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
import traceback
from types import FrameType
from typing import Final, NoReturn, TextIO

from tilescope.server.runs.job import STOP_TIMEOUT_S, IndexJob
from tilescope.tiler.build import Progress, build_store
from tilescope.tiler.errors import TilescopeError

REPORT_INTERVAL_S: Final = 0.1


class Reporter:
    """Writes to the parent; progress at most ten times a second."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._next_s = 0.0

    def progress(self, progress: Progress) -> None:
        """Reports a step, or leaves it out because the last one is fresh."""
        now = time.monotonic()
        if now >= self._next_s:
            self._next_s = now + REPORT_INTERVAL_S
            self.say(type="progress", phase=progress.phase, fraction=progress.fraction, events=progress.events)

    def say(self, **message: object) -> None:
        """Writes one message."""
        self._out.write(json.dumps(message) + "\n")
        self._out.flush()


def main() -> int:
    """Runs the job that the parent writes. Returns the exit status."""
    signal.signal(signal.SIGTERM, _stop)
    reporter = Reporter(_private_stdout())
    job = IndexJob.from_line(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        build_store(job.files, job.store, progress=reporter.progress)
    except (TilescopeError, OSError, MemoryError) as error:
        reporter.say(type="failed", error=_one_line(error))
    except Exception as error:
        traceback.print_exc()
        reporter.say(type="failed", error=f"internal error: {type(error).__name__}: {_one_line(error)}")
    else:
        reporter.say(type="done")
    return 0


def _private_stdout() -> TextIO:
    """Standard output for messages only: what libraries print goes to standard error."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return out


def _end_with_parent() -> None:
    """Waits for the end of standard input, which is the end of the parent, and stops this process."""
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(STOP_TIMEOUT_S)  # a native call may keep Python from handling the signal
    os._exit(1)


def _stop(_signal: int, _frame: FrameType | None) -> NoReturn:
    sys.exit(1)  # as an exception, so that the half-made store is removed on the way


def _one_line(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return "out of memory"
    return " ".join(str(error).split())


if __name__ == "__main__":
    sys.exit(main())
