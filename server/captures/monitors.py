"""Monitors of running jobs: one for each job, however many people look at it.

A process can be profiled once at a time, and a monitor may have to capture to see anything: it makes way for a capture,
and goes on when that is over.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager, suppress
from typing import Final

from tilescope.capture import CaptureFailed, MonitorSample, ProfilerAddress
from tilescope.server.captures.host import problem_of
from tilescope.server.errors import InUse
from tilescope.tiler import schema

MOST_MONITORS: Final = 8  # jobs at once, however many people look at each
RETRY_S: Final = 2.0

Sampler = Callable[[ProfilerAddress], AsyncGenerator[MonitorSample, None]]
_HELD: Final = schema.MonitorHeld()


class JobMonitor:
    """The monitor of one job. `message` is the newest one; each has a number."""

    def __init__(self, address: ProfilerAddress, sample: Sampler, *, is_held: bool) -> None:
        self.message: schema.MonitorMessage | None = _HELD if is_held else None
        self.number = 1 if is_held else 0
        self.changed = asyncio.Condition()
        self.people = 0
        self._address = address
        self._sample = sample
        self._sampling: asyncio.Task[None] | None = None
        if not is_held:
            self.resume()

    async def hold(self) -> None:
        """Ends what it asks of the job, and asks no more."""
        await self._end()
        await self._say(_HELD)

    def resume(self) -> None:
        """Asks again."""
        if self._sampling is None:
            self._sampling = asyncio.create_task(self._ask())

    async def close(self) -> None:
        """Nobody looks any more."""
        await self._end()

    async def _ask(self) -> None:
        while True:
            try:
                async with aclosing(self._sample(self._address)) as samples:
                    async for sample in samples:
                        await self._say(_schema_sample(sample))
            except CaptureFailed as error:
                problem = problem_of(error.failure)
                await self._say(schema.MonitorProblem(problem=problem, retry_ms=round(RETRY_S * 1000)))
            await asyncio.sleep(RETRY_S)

    async def _say(self, message: schema.MonitorMessage) -> None:
        self.message = message
        self.number += 1
        async with self.changed:
            self.changed.notify_all()

    async def _end(self) -> None:
        sampling, self._sampling = self._sampling, None
        if sampling is not None:
            sampling.cancel()
            with suppress(asyncio.CancelledError):
                await sampling


class Monitors:
    """All of them, by the address of the job."""

    def __init__(self, sample: Sampler | None = None) -> None:
        self._sample = sample or _sample
        self._monitors: dict[ProfilerAddress, JobMonitor] = {}
        self._held: dict[ProfilerAddress, int] = {}
        self._closing: set[asyncio.Task[None]] = set()

    @contextmanager
    def watching(self, address: ProfilerAddress) -> Iterator[JobMonitor]:
        """The monitor of a job, for one more person until the block is left. Raises `InUse`."""
        monitor = self._monitors.get(address)
        if monitor is None:
            if len(self._monitors) >= MOST_MONITORS:
                raise InUse("as many jobs are monitored as this server takes: stop one of them")
            monitor = self._monitors[address] = JobMonitor(address, self._sample, is_held=address in self._held)
        monitor.people += 1
        try:
            yield monitor
        finally:
            monitor.people -= 1
            if monitor.people == 0:
                del self._monitors[address]
                task = asyncio.create_task(monitor.close())
                self._closing.add(task)
                task.add_done_callback(self._closing.discard)

    @asynccontextmanager
    async def held(self, addresses: Collection[ProfilerAddress]) -> AsyncIterator[None]:
        """Nothing is asked of these jobs until the block is left."""
        for address in addresses:
            self._held[address] = self._held.get(address, 0) + 1
        try:
            await asyncio.gather(*self._closing)  # of somebody who has just gone
            await asyncio.gather(
                *(self._monitors[address].hold() for address in addresses if address in self._monitors)
            )
            yield
        finally:
            for address in addresses:
                self._held[address] -= 1
                if self._held[address] == 0:
                    del self._held[address]
                    if address in self._monitors:
                        self._monitors[address].resume()

    async def close(self) -> None:
        """Asks nothing any more."""
        await asyncio.gather(*(monitor.close() for monitor in self._monitors.values()), *self._closing)


def _sample(address: ProfilerAddress) -> AsyncGenerator[MonitorSample, None]:
    from tilescope.capture import MonitorOptions, monitor

    return monitor(address, MonitorOptions(level=2))


def _schema_sample(sample: MonitorSample) -> schema.MonitorSample:
    return schema.MonitorSample(
        time_ns=str(sample.time_ns),
        source=sample.source.value,
        duration_ms=sample.duration_ms,
        device_type=sample.device_type,
        devices=sample.devices,
        matrix_unit_utilization=sample.matrix_unit_utilization,
        device_idle=sample.device_idle,
        steps=sample.steps,
        step_mean_ms=sample.step_mean_ms,
        step_min_ms=sample.step_min_ms,
        step_max_ms=sample.step_max_ms,
        infeed_mean=sample.infeed_mean,
        infeed_min=sample.infeed_min,
        infeed_max=sample.infeed_max,
    )
