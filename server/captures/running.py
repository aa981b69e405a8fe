"""One capture, from the order to the run."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Final, Protocol

from tilescope.capture import (
    CaptureCause,
    CaptureFailed,
    CaptureOptions,
    CaptureResult,
    Failure,
    HostProgress,
    ProfilerAddress,
    Tell,
)
from tilescope.server.captures.host import CaptureHost
from tilescope.server.captures.names import look_up
from tilescope.server.errors import message_of
from tilescope.server.guard.capture_rules import AllowedHost
from tilescope.tiler.errors import TilescopeError
from tilescope.tiler.schema import Capture, CaptureOrder, CaptureState

_log = logging.getLogger(__name__)

_STOPPED: Final = Failure(CaptureCause.STOPPED)
_TWICE: Final = Failure(CaptureCause.BUSY, "this server captures from it already")


class Capturer(Protocol):
    """`tilescope.capture.capture`, or what stands for it in a test."""

    async def __call__(
        self,
        addresses: Sequence[ProfilerAddress],
        options: CaptureOptions,
        logdir: Path,
        tell: Tell,
        stop: asyncio.Event | None = None,
    ) -> CaptureResult:
        """Captures, and says what came of each host."""


TakeIn = Callable[[Path], Awaitable[str | None]]


class RunningCapture:
    """A capture while it runs, and for as long as its result is kept."""

    def __init__(self, order: CaptureOrder, hosts: Sequence[AllowedHost], on_change: Callable[[str], None]) -> None:
        self.id = secrets.token_hex(8)
        self._order = order
        self._hosts = [CaptureHost(host, order.attempts) for host in hosts]
        self._on_change = on_change
        self._state: CaptureState = "running"
        self._began_s = time.monotonic()
        self._took_s: float | None = None
        self._run: str | None = None
        self._problem: str | None = None
        self._stop = asyncio.Event()

    @property
    def is_running(self) -> bool:
        """True until the capture has ended."""
        return self._state == "running"

    @property
    def addresses(self) -> set[ProfilerAddress]:
        """Addresses that it is connected to or about to connect to: as the client named them, and in numbers."""
        return {address for host in self._hosts for address in (host.allowed.address, host.address) if address}

    def stop(self) -> None:
        """Ends it early. What has been captured until now is kept."""
        if self.is_running and not self._stop.is_set():
            self._stop.set()
            self._on_change(self.id)

    async def run(
        self,
        capture: Capturer,
        others: Callable[[], set[ProfilerAddress]],
        logdir: Path,
        take_in: TakeIn,
    ) -> None:
        """Captures. `others` are the addresses in use by other captures; `take_in` gives the id of a folder's run.

        Raises nothing but `CancelledError`: whatever fails becomes part of what is told.
        """
        try:
            await self._look_up_all(others)
            hosts = {host.address: host for host in self._hosts if host.address is not None}
            if hosts and not self._stop.is_set():
                result = await capture(list(hosts), self._options(), logdir, self._follow(hosts), self._stop)
                await self._take(result, hosts, take_in)
            else:
                self._end("cancelled" if self._stop.is_set() else "failed")
        except asyncio.CancelledError:
            self._end("cancelled")
            raise
        except (TilescopeError, OSError) as error:
            self._fail(error)
        except Exception as error:
            _log.exception("capture %s failed", self.id)
            self._fail(error)

    def to_schema(self) -> Capture:
        """As clients are told of it."""
        took_s = time.monotonic() - self._began_s if self._took_s is None else self._took_s
        return Capture(
            id=self.id,
            state=self._state,
            order=self._order,
            hosts=[host.to_schema() for host in self._hosts],
            elapsed_ms=round(took_s * 1000),
            was_stopped=self._stop.is_set(),
            run=self._run,
            problem=self._problem,
        )

    async def _look_up_all(self, others: Callable[[], set[ProfilerAddress]]) -> None:
        """Gives each host its address; one that has none, or that of another host, has failed."""

        async def give_address(host: CaptureHost) -> None:
            try:
                address = await look_up(host.allowed)
            except CaptureFailed as error:
                host.fail(error.failure)
                return
            if address in others() or any(address == other.address for other in self._hosts):
                host.fail(_TWICE)
                return
            host.address = address

        await asyncio.gather(*map(give_address, self._hosts))
        self._on_change(self.id)

    def _options(self) -> CaptureOptions:
        order = self._order
        return CaptureOptions(
            duration_ms=order.duration_ms,
            delay_ms=order.delay_ms,
            host_tracer_level=order.host_tracer_level,
            device_tracer_level=order.device_tracer_level,
            python_tracer_level=order.python_tracer_level,
            include_dataset_ops=order.include_dataset_ops,
            attempts=order.attempts,
            run_name=order.run_name,
        )

    def _follow(self, hosts: dict[ProfilerAddress, CaptureHost]) -> Tell:
        def tell(progress: HostProgress) -> None:
            hosts[progress.address].follow(progress)
            self._on_change(self.id)

        return tell

    async def _take(self, result: CaptureResult, hosts: dict[ProfilerAddress, CaptureHost], take_in: TakeIn) -> None:
        for outcome in result.hosts:
            hosts[outcome.address].end(outcome)
        if result.folder is None:
            self._end("cancelled" if self._stop.is_set() else "failed")
            return
        self._run = await take_in(result.folder)
        if self._run is None:
            self._problem = f"the traces are in {result.run_name}, which is not among the runs that are served"
        self._end("captured" if len(result.captured) == len(self._hosts) else "partly")

    def _fail(self, error: Exception) -> None:
        self._problem = message_of(error)
        self._end("failed")

    def _end(self, state: CaptureState) -> None:
        for host in self._hosts:
            host.leave(_STOPPED if state == "cancelled" else None)
        self._state = state
        self._took_s = time.monotonic() - self._began_s
        self._on_change(self.id)
