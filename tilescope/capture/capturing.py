"""A capture of several hosts at the same moment, into one run of a log directory."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tilescope.capture.address import ProfilerAddress
from tilescope.capture.arriving_file import remove_leftovers
from tilescope.capture.capture_time import CaptureTime, SystemTime
from tilescope.capture.host import CaptureSetting, HostCapturing
from tilescope.capture.options import CaptureOptions
from tilescope.capture.progress import HostProgress, Tell
from tilescope.capture.result import CaptureResult
from tilescope.capture.run_folder import RunFolder, host_names

# In which requests reach all hosts, so that all can start at the same moment.
LEAD_MS: Final = 500


def _tell_nobody(progress: HostProgress) -> None:
    pass


async def capture(
    addresses: Sequence[ProfilerAddress],
    options: CaptureOptions,
    logdir: Path,
    tell: Tell = _tell_nobody,
    stop: asyncio.Event | None = None,
    *,
    clock: CaptureTime | None = None,
) -> CaptureResult:
    """Captures all hosts at the same moment, by their clocks, into `LOGDIR/plugins/profile/RUN/HOST.xplane.pb`.

    Each file is there whole or not at all; what some hosts gave is kept when others failed, and nothing is left behind
    when all did. `tell` hears of each change. Setting `stop` ends the remote runs and keeps what they return; to cancel
    the task ends them, and keeps only what has come. Raises `UsageError` if there is a run of that name already.
    """
    clock = clock or SystemTime()
    stop = stop or asyncio.Event()
    await asyncio.to_thread(remove_leftovers, logdir)
    run = RunFolder(logdir, options.run_name, options.confined_to)
    delay_ms = max(options.delay_ms, LEAD_MS if len(addresses) > 1 else 0)
    setting = CaptureSetting(
        run=run,
        session_id=_session_id(run, options),
        options=options,
        start_ns=clock.unix_ns() + delay_ms * 1_000_000 if delay_ms else 0,
        tell=tell,
        stop=stop,
        clock=clock,
    )
    try:
        async with asyncio.TaskGroup() as tasks:
            running = [
                tasks.create_task(HostCapturing(address, name, setting).run())
                for address, name in zip(addresses, host_names(addresses), strict=True)
            ]
        hosts = tuple(task.result() for task in running)
    finally:
        is_left = run.tidy()
    return CaptureResult(run.path.name, run.path if is_left else None, hosts, was_stopped=stop.is_set())


def _session_id(run: RunFolder, options: CaptureOptions) -> str:
    """Name of the run on the servers.

    Servers remember for ever that a session was to end, even one that had ended by itself: a name that people choose
    may come again, and must not end at once.
    """
    return run.path.name if options.run_name is None else f"{run.path.name}.{secrets.token_hex(4)}"
