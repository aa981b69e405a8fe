"""Continuous captures: servers record all the time, and what they recorded is fetched window by window.

A window is a run of its own. The newest are kept, up to a number and a size; those of other captures are left alone.
"""

from __future__ import annotations

import asyncio
import shutil
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tilescope.capture.address import ProfilerAddress
from tilescope.capture.arriving_file import remove_leftovers
from tilescope.capture.capture_time import CaptureTime, SystemTime, passes
from tilescope.capture.continuous_host import ContinuousHost
from tilescope.capture.options import CaptureOptions
from tilescope.capture.progress import Tell
from tilescope.capture.result import CaptureResult
from tilescope.capture.run_folder import RunFolder, host_names
from tilescope.tiler.errors import UsageError

SHORTEST_S: Final = 1.0
LONGEST_S: Final = 600.0  # a server keeps a window in the memory of the job


@dataclass(frozen=True, slots=True)
class WindowOptions:
    """Length of the windows, and which are kept. Raises `UsageError` for values that make no sense."""

    interval_s: float = 10.0
    keep: int = 10  # windows
    keep_bytes: int = 2_000_000_000  # of all windows together
    take_over: bool = False  # ends what another continuous capture left running

    def __post_init__(self) -> None:
        if not SHORTEST_S <= self.interval_s <= LONGEST_S:
            raise UsageError(f"a window takes {SHORTEST_S:g} to {LONGEST_S:g} s, not {self.interval_s:g}")
        if self.keep < 1 or self.keep_bytes < 1:
            raise UsageError("at least one window is kept")


async def capture_continuously(
    addresses: Sequence[ProfilerAddress],
    options: CaptureOptions,
    windows: WindowOptions,
    logdir: Path,
    tell: Tell,
    window_is_there: Callable[[CaptureResult], None],
    stop: asyncio.Event,
    *,
    clock: CaptureTime | None = None,
) -> None:
    """Records until `stop` is set; the last window ends there. Cancelling it ends the recording as well.

    A host that fails is asked to start again for the next window. `window_is_there` hears of each one, also if no host
    gave a trace.
    """
    clock = clock or SystemTime()
    kept: deque[tuple[Path, int]] = deque()  # folder and size, the oldest first
    most_bytes = min(options.most_answer_bytes, max(windows.keep_bytes // len(addresses), 1))
    hosts = [
        ContinuousHost(address, name, options, windows.interval_s, most_bytes, tell)
        for address, name in zip(addresses, host_names(addresses), strict=True)
    ]
    await asyncio.to_thread(remove_leftovers, logdir)
    try:
        await asyncio.gather(*(host.start(take_over=windows.take_over) for host in hosts))
        is_going_on = True
        while is_going_on:
            is_going_on = await passes(clock, windows.interval_s, stop)
            run = RunFolder(logdir, None)
            try:
                captured = await asyncio.gather(*(host.snapshot(run) for host in hosts))
            finally:
                is_left = run.tidy()
            folder = run.path if is_left else None
            if folder is not None:
                kept.append((folder, sum(host.size_bytes for host in captured)))
                await asyncio.to_thread(_forget, kept, windows)
            window_is_there(CaptureResult(run.path.name, folder, tuple(captured), was_stopped=not is_going_on))
    finally:
        await asyncio.gather(*(host.end() for host in hosts))


def _forget(kept: deque[tuple[Path, int]], windows: WindowOptions) -> None:
    """Removes the oldest windows that are too many, or too large together; never the newest."""
    while len(kept) > 1 and (len(kept) > windows.keep or sum(size for _, size in kept) > windows.keep_bytes):
        folder, _ = kept.popleft()
        shutil.rmtree(folder, ignore_errors=True)
