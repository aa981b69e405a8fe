"""`tilescope capture --continuous`: a line per window, and what fails when it begins to fail."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tilescope.capture import WindowOptions, capture_continuously
from tilescope.cli.capture_report import hosts_text
from tilescope.cli.command import EXIT_BAD
from tilescope.cli.say import complain, say
from tilescope.cli.stop_signals import stop_on_signals
from tilescope.tiler.size_text import size_text

if TYPE_CHECKING:
    from tilescope.capture import CaptureOptions, CaptureResult, Failure, HostProgress, ProfilerAddress


async def capture_windows(
    addresses: tuple[ProfilerAddress, ...], options: CaptureOptions, args: argparse.Namespace
) -> int:
    """Captures until Ctrl-C; returns the exit code: 0 if there was a window. Raises `UsageError`."""
    windows = WindowOptions(args.interval, args.keep, args.keep_size, args.take_over)
    report = _WindowReport()
    with stop_on_signals() as stop:
        await capture_continuously(addresses, options, windows, args.logdir, report.tell, report.window, stop)
    return 0 if report.windows else EXIT_BAD


class _WindowReport:
    """Says what came, and each failure of a host once until it changes."""

    def __init__(self) -> None:
        self.windows = 0
        self._failures: dict[ProfilerAddress, Failure | None] = {}

    def tell(self, progress: HostProgress) -> None:
        """A failure is said when it happens: the first window may be minutes away."""
        last_failure = self._failures.get(progress.address)
        if progress.failure is not None and progress.failure != last_failure:
            complain(f"{progress.address}: {progress.failure}; tried again for the next window")
            if last_failure is None or last_failure.cause != progress.failure.cause:
                for hint in progress.failure.hints:
                    complain(f"hint: {hint}")
            self._failures[progress.address] = progress.failure

    def window(self, result: CaptureResult) -> None:
        """A window is over."""
        for host in result.captured:
            self._failures.pop(host.address, None)
        if result.folder is not None:
            self.windows += 1
            size = size_text(sum(host.size_bytes for host in result.captured))
            say(f"{result.folder}: {hosts_text(result)}, {size}")
