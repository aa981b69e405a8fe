"""A capture that does as the test says, in the place of one that asks real hosts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from tilescope.capture import (
    CaptureCause,
    CaptureOptions,
    CapturePhase,
    CaptureResult,
    Failure,
    HostCapture,
    HostProgress,
    ProfilerAddress,
    Tell,
)

Finish = Callable[["FakeCapture"], CaptureResult]


class FakeCapture:
    """One call of the capturer, which waits until it is finished, stopped or cancelled."""

    def __init__(self, addresses: Sequence[ProfilerAddress], options: CaptureOptions, logdir: Path, tell: Tell) -> None:
        self.addresses = tuple(addresses)
        self.options = options
        self.logdir = logdir
        self.tell = tell
        self.result: asyncio.Future[CaptureResult] = asyncio.get_running_loop().create_future()
        self.was_cancelled = False

    def say(self, phase: CapturePhase, **more: object) -> None:
        """Tells of all hosts that they are in this phase."""
        for address in self.addresses:
            self.tell(HostProgress(address, phase, **more))  # type: ignore[arg-type]


def stopped(call: FakeCapture) -> CaptureResult:
    """What a capture returns that is stopped before any host has a trace."""
    failure = Failure(CaptureCause.STOPPED)
    hosts = tuple(HostCapture(address, 1, failure=failure) for address in call.addresses)
    return CaptureResult("run", None, hosts, was_stopped=True)


class FakeCapturer:
    """Stands for `tilescope.capture.capture`. Without `on_stop` it goes on when it is stopped."""

    def __init__(self, on_stop: Finish | None = stopped) -> None:
        self.calls: list[FakeCapture] = []
        self.on_stop = on_stop
        self._begun = asyncio.Condition()

    async def __call__(
        self,
        addresses: Sequence[ProfilerAddress],
        options: CaptureOptions,
        logdir: Path,
        tell: Tell,
        stop: asyncio.Event | None = None,
    ) -> CaptureResult:
        call = FakeCapture(addresses, options, logdir, tell)
        self.calls.append(call)
        async with self._begun:
            self._begun.notify_all()
        assert stop is not None
        stopping = asyncio.create_task(stop.wait())
        try:
            await asyncio.wait((call.result, stopping), return_when=asyncio.FIRST_COMPLETED)
            if not call.result.done() and self.on_stop is not None:
                return self.on_stop(call)
            return await call.result
        except asyncio.CancelledError:
            call.was_cancelled = True
            raise
        finally:
            stopping.cancel()

    async def call(self, number: int = 0) -> FakeCapture:
        """That call, as soon as it has begun."""
        async with self._begun, asyncio.timeout(5):
            await self._begun.wait_for(lambda: len(self.calls) > number)
        return self.calls[number]
