"""Monitors a server: one sample after the other, by its `Monitor` or, where it has none, from short captures."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tilescope.capture.address import ProfilerAddress
from tilescope.capture.capture_time import CaptureTime, SystemTime
from tilescope.capture.capturing import capture
from tilescope.capture.failures import CaptureCause, CaptureFailed, Failure
from tilescope.capture.monitor_text import monitor_figures
from tilescope.capture.options import MOST_DURATION_MS, CaptureOptions
from tilescope.capture.profiler import Profiler
from tilescope.capture.sample import MonitorSample, MonitorSource
from tilescope.tiler.errors import TraceError, UsageError

MOST_QUERIES: Final = 1_000_000
MOST_TRACE_BYTES: Final = 1 << 30  # of a capture that is evaluated

_OF_LEVEL_1: Final = ("device_type", "matrix_unit_utilization")


@dataclass(frozen=True, slots=True)
class MonitorOptions:
    """Options of monitoring: what to ask, how long for each answer, and how often. Raises `UsageError`."""

    level: int = 1
    duration_ms: int = 1000
    queries: int | None = None  # None: until whoever asks has enough

    def __post_init__(self) -> None:
        if self.level not in (1, 2):
            raise UsageError(f"there are levels 1 and 2, not {self.level}")
        if not 1 <= self.duration_ms <= MOST_DURATION_MS:
            raise UsageError(f"a query takes 1 to {MOST_DURATION_MS:,} ms, not {self.duration_ms:,}")
        if self.queries is not None and not 1 <= self.queries <= MOST_QUERIES:
            raise UsageError(f"the number of queries is 1 to {MOST_QUERIES:,}, not {self.queries:,}")


async def monitor(
    address: ProfilerAddress, options: MonitorOptions, *, clock: CaptureTime | None = None
) -> AsyncGenerator[MonitorSample, None]:
    """Samples, one for each query, at most one for each `duration_ms`.

    A server that has no `Monitor` is captured for the same time, and Tilescope evaluates what it sends: `source` says
    so. Raises `CaptureFailed`. Whoever closes it ends the query on the server.
    """
    clock = clock or SystemTime()
    target = _Asked(address, options)
    number = 0
    while options.queries is None or number < options.queries:
        number += 1
        began_ns = clock.unix_ns()
        figures = await target.figures()
        now_ns = clock.unix_ns()
        if options.level == 1:
            figures = {name: figures[name] for name in _OF_LEVEL_1 if name in figures}
        yield MonitorSample(address, number, now_ns, options.level, target.source, options.duration_ms, **figures)
        left_s = options.duration_ms / 1e3 - max(now_ns - began_ns, 0) / 1e9
        if left_s > 0 and number != options.queries:  # a server that answers at once is not asked all the time
            await clock.sleep(left_s)


class _Asked:
    """A server, and how it is asked: by captures, once it has said that it knows no `Monitor`."""

    def __init__(self, address: ProfilerAddress, options: MonitorOptions) -> None:
        self.source = MonitorSource.MONITOR
        self._address = address
        self._options = options

    async def figures(self) -> dict[str, Any]:
        if self.source is MonitorSource.MONITOR:
            try:
                response = await Profiler(self._address).monitor(self._options.duration_ms, self._options.level)
                return monitor_figures(response)
            except CaptureFailed as error:
                if error.failure.cause is not CaptureCause.UNIMPLEMENTED:
                    raise
            self.source = MonitorSource.CAPTURES
        return await self._captured()

    async def _captured(self) -> dict[str, Any]:
        # Indexing is a good part of what is loaded: only who needs it loads it.
        from tilescope.capture.evaluation import evaluate

        options = CaptureOptions(duration_ms=self._options.duration_ms, most_answer_bytes=MOST_TRACE_BYTES)
        with tempfile.TemporaryDirectory(prefix="tilescope-monitor-", ignore_cleanup_errors=True) as scratch:
            result = await capture([self._address], options, Path(scratch))
            (host,) = result.hosts
            if host.failure is not None and host.failure.cause is CaptureCause.EMPTY:
                return {}  # the job has done nothing meanwhile
            if host.path is None:
                raise CaptureFailed(str(self._address), host.failure or Failure(CaptureCause.STOPPED))
            try:
                return await evaluate(host.path, Path(scratch) / "store")
            except TraceError as error:
                raise CaptureFailed(str(self._address), Failure(CaptureCause.BAD_ANSWER, error.what)) from None
