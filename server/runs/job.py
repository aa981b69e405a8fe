"""One indexing job as a child process, and the lines of JSON that parent and child exchange.

A process of its own, because a reader that crashes or needs too much memory must not take the server with it. The
parent writes one line, the job, and then a line `{"want": [3, 0]}` whenever other blocks are looked at; the child
answers with progress lines and, last, `done` or `failed`. The child's standard input stays open as long as the parent
lives: its end tells the child to stop.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

from msgspec import structs

from tilescope.remote.mirrors import MirrorPlan
from tilescope.server.errors import IndexingFailed, NoRoomToIndex
from tilescope.server.runs.run import IndexProgress
from tilescope.server.runs.wishes import Wishes
from tilescope.tiler.confinement import is_within
from tilescope.tiler.errors import StoreError, TraceError
from tilescope.tiler.readers.time_unit import DEFAULT_TIME_UNIT, TimeUnit

WORKER_COMMAND: Final = (sys.executable, "-P", "-m", "tilescope.server.runs.worker")
STOP_TIMEOUT_S: Final = 3.0  # between the polite signal and the one that cannot be refused
_STDERR_LINES: Final = 20
_LINE_BYTES: Final = 1 << 20  # a report that names a hundred thousand blocks

_PROGRESS_FIELDS: Final = tuple(field.name for field in fields(IndexProgress))

# Told how far the job is, and which blocks were finished since it was told last.
OnIndexProgress = Callable[[IndexProgress, Sequence[int]], None]


@dataclass(frozen=True, slots=True)
class IndexJob:
    """An indexing job: the files, and the store to write. One job per store at a time."""

    name: str  # of the run, for people
    files: tuple[Path, ...]
    store: Path
    memory_bytes: int | None = None  # what indexing may take; None: as much as it takes by default
    max_inflated: int | None = None  # to how many bytes a file may inflate; None: as many as by default
    time_unit: TimeUnit = DEFAULT_TIME_UNIT  # of times in JSON traces
    served: tuple[Path, ...] = ()  # where the files must lie, all links followed; none: anywhere
    cache: Path | None = None  # where the store must lie; None: anywhere
    is_unconfirmed: bool = False  # files that overlap none of those that are shown are left out
    mirrors: tuple[MirrorPlan, ...] = ()  # of places elsewhere that the files stand for

    def to_line(self) -> bytes:
        """As the child reads it."""
        files = [str(file) for file in self.files]
        job = {
            "files": files,
            "store": str(self.store),
            "memory_bytes": self.memory_bytes,
            "max_inflated": self.max_inflated,
            "time_unit": self.time_unit,
            "served": [str(path) for path in self.served],
            "cache": None if self.cache is None else str(self.cache),
            "is_unconfirmed": self.is_unconfirmed,
            "mirrors": [structs.asdict(plan) for plan in self.mirrors],
        }
        return json.dumps(job).encode() + b"\n"

    @staticmethod
    def from_line(line: bytes) -> IndexJob:
        """The inverse, without the name."""
        job = json.loads(line)
        return IndexJob(
            "",
            tuple(Path(file) for file in job["files"]),
            Path(job["store"]),
            job["memory_bytes"],
            job["max_inflated"],
            job["time_unit"],
            tuple(Path(path) for path in job["served"]),
            None if job["cache"] is None else Path(job["cache"]),
            job["is_unconfirmed"],
            tuple(MirrorPlan(**plan) for plan in job["mirrors"]),
        )

    def refuse_astray(self) -> None:
        """Raises TraceError where a file lies outside of what is served by now, StoreError for such a store."""
        served = [path.resolve() for path in self.served]
        for file in self.files:
            if served and not is_within(file, served):
                raise TraceError(str(file), "leads out of what is served")
        if self.cache is not None and not is_within(self.store, [self.cache.resolve()]):
            raise StoreError(f"{self.store}: a symbolic link leads out of the cache directory (remove it)")


async def run_job(
    job: IndexJob, on_progress: OnIndexProgress, wishes: Wishes, command: Sequence[str] = WORKER_COMMAND
) -> None:
    """Runs the job to its end. Raises `IndexingFailed`; when cancelled, ends the child first."""
    # In a session of its own: Ctrl-C in the terminal is for us, and we end the child in order.
    child = await asyncio.create_subprocess_exec(
        *command, stdin=PIPE, stdout=PIPE, stderr=PIPE, start_new_session=True, limit=_LINE_BYTES
    )
    complaints = asyncio.create_task(_last_lines(child.stderr))
    forwarding: asyncio.Task[None] | None = None
    try:
        await _tell(child, job.to_line())
        forwarding = asyncio.create_task(_forward(wishes, child))
        outcome = await _listen(child, on_progress)
        await child.wait()
        _judge(outcome, child.returncode, await complaints)
    finally:
        if forwarding is not None:
            forwarding.cancel()
        await _stop(child)
        complaints.cancel()


async def _tell(child: Process, line: bytes) -> None:
    assert child.stdin is not None
    with suppress(ConnectionError):  # it died: the exit status says more
        child.stdin.write(line)
        await child.stdin.drain()


async def _forward(wishes: Wishes, child: Process) -> None:
    while True:
        wanted = await wishes.next()
        await _tell(child, json.dumps({"want": wanted}).encode() + b"\n")


async def _listen(child: Process, on_progress: OnIndexProgress) -> dict[str, Any] | None:
    """The child's last word, or None if it ended without one."""
    assert child.stdout is not None
    async for line in child.stdout:
        try:
            message = json.loads(line)
        except ValueError:  # half a line: it died while it spoke
            return None
        if message["type"] != "progress":
            return dict(message)
        progress = IndexProgress(**{name: message[name] for name in _PROGRESS_FIELDS if name in message})
        on_progress(progress, message.get("built", ()))
    return None


def _judge(outcome: dict[str, Any] | None, returncode: int | None, complaints: list[str]) -> None:
    if outcome is not None and outcome["type"] == "failed":
        raise (NoRoomToIndex if outcome.get("no_room") else IndexingFailed)(outcome["error"])
    if outcome is None or returncode != 0:
        last_words = f" ({complaints[-1]})" if complaints else ""
        raise IndexingFailed(f"indexing stopped: the worker process {_ending(returncode)}{last_words}")


def _ending(returncode: int | None) -> str:
    if returncode is None or returncode >= 0:
        return f"ended with status {returncode}"
    try:
        name = signal.Signals(-returncode).name
    except ValueError:
        name = f"signal {-returncode}"
    return f"was ended by {name}" + (", perhaps for want of memory" if name == "SIGKILL" else "")


async def _stop(child: Process) -> None:
    """Ends the child, and the processes it started, if it still runs: politely at first."""
    if child.stdin is not None:
        child.stdin.close()
    for kind in (signal.SIGTERM, signal.SIGKILL):
        if child.returncode is not None:
            return
        with suppress(ProcessLookupError):
            os.killpg(child.pid, kind)
        with suppress(TimeoutError):
            async with asyncio.timeout(STOP_TIMEOUT_S):
                await child.wait()


async def _last_lines(stream: asyncio.StreamReader | None) -> list[str]:
    """Last lines that the child wrote to standard error, read all the time so that the pipe never fills."""
    assert stream is not None
    lines: deque[str] = deque(maxlen=_STDERR_LINES)
    rest = b""
    while chunk := await stream.read(65536):
        *whole, rest = (rest + chunk)[-65536:].split(b"\n")
        lines.extend(line.decode(errors="replace").strip() for line in whole if line.strip())
    if rest.strip():
        lines.append(rest.decode(errors="replace").strip())
    return list(lines)
