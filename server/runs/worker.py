"""The child process that indexes one run: `python -m tilescope.server.runs.worker`, started by `job.run_job`.

Reads the job, and which blocks are wanted first, from standard input, and reports on standard output, a line of JSON
each. It ends when its parent does.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from types import FrameType
from typing import Final, NoReturn, TextIO

from msgspec import structs

from tilescope.remote.mirrors import mirror_address
from tilescope.server.runs.job import STOP_TIMEOUT_S, IndexJob
from tilescope.tiler.errors import DiskFull, TilescopeError
from tilescope.tiler.indexing import DEFAULT_MEMORY_BYTES, BuildProgress, Priorities, build_store, keep_free_memory
from tilescope.tiler.memory_limits import out_of_memory
from tilescope.tiler.store.cached_traces import remember_traces

REPORT_INTERVAL_S: Final = 0.1


class Reporter:
    """Writes to the parent; progress at most ten times a second, unless there is something new to look at."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._next_s = 0.0
        self._stage = ("", 0)

    def progress(self, progress: BuildProgress) -> None:
        """Reports a step, or leaves it out because the last one is fresh."""
        now = time.monotonic()
        if now >= self._next_s or progress.built or (progress.phase, progress.revision) != self._stage:
            self._next_s = now + REPORT_INTERVAL_S
            self._stage = (progress.phase, progress.revision)
            self.say(type="progress", **structs.asdict(progress))

    def say(self, **message: object) -> None:
        """Writes one message."""
        self._out.write(json.dumps(message) + "\n")
        self._out.flush()


def main() -> int:
    """Runs the job that the parent writes. Returns the exit status."""
    signal.signal(signal.SIGTERM, _stop)
    reporter = Reporter(_private_stdout())
    lines = _lines(sys.stdin.fileno())
    job = IndexJob.from_line(next(lines))
    priorities = Priorities()
    threading.Thread(target=_listen, args=(lines, priorities), daemon=True).start()
    memory_bytes = DEFAULT_MEMORY_BYTES if job.memory_bytes is None else job.memory_bytes
    keep_free_memory(memory_bytes)
    try:
        for plan in job.mirrors:
            mirror_address(plan)
        job.refuse_astray()
        build_store(
            job.files,
            job.store,
            progress=reporter.progress,
            priorities=priorities,
            memory_bytes=memory_bytes,
            max_inflated=job.max_inflated,
            time_unit=job.time_unit,
            is_unconfirmed=job.is_unconfirmed,
        )
        if job.cache is not None:
            remember_traces(job.store, job.files)
    except (TilescopeError, OSError, MemoryError) as error:
        reporter.say(type="failed", error=_one_line(error), no_room=isinstance(error, DiskFull))
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


def _lines(descriptor: int) -> Iterator[bytes]:
    """Whole lines, as they come. Without Python's buffer, whose lock a thread that waits would hold at the very end."""
    rest = b""
    while chunk := os.read(descriptor, 65536):
        *lines, rest = (rest + chunk).split(b"\n")
        yield from lines


def _listen(lines: Iterator[bytes], priorities: Priorities) -> None:
    """Hears what the parent wants, until its end, and then stops this process."""
    for line in lines:
        priorities.want(json.loads(line)["want"])
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(STOP_TIMEOUT_S)  # a native call may keep Python from handling the signal
    os._exit(1)


def _stop(_signal: int, _frame: FrameType | None) -> NoReturn:
    sys.exit(1)  # as an exception, so that the half-made store is removed on the way


def _one_line(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        error = out_of_memory()
    return " ".join(str(error).split())


if __name__ == "__main__":
    sys.exit(main())
