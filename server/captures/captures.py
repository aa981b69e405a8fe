"""The captures of this server: those that run, and what came of the last ones."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from tilescope.capture import CaptureOptions, CaptureResult, ProfilerAddress, Tell
from tilescope.capture.arriving_file import remove_leftovers
from tilescope.server.captures.log_directory import find_log_directory
from tilescope.server.captures.monitors import Monitors, Sampler
from tilescope.server.captures.names import look_up
from tilescope.server.captures.running import Capturer, RunningCapture
from tilescope.server.errors import (
    BadRequest,
    CannotCapture,
    Forbidden,
    IndexingFailed,
    InUse,
    NotFound,
)
from tilescope.server.guard.capture_rules import AllowedHost, CaptureRules
from tilescope.server.runs.registry import Registry
from tilescope.server.runs.watchers import Watcher, Watchers
from tilescope.tiler.schema import CaptureOrder, CaptureRoom, CaptureTarget

_log = logging.getLogger(__name__)

MOST_RUNNING: Final = 8  # captures at once, however many hosts each has
MOST_KEPT: Final = 50  # results, until the server ends
STOP_TIMEOUT_S: Final = (
    8.0  # for what hosts return when they are stopped, before the server goes; less than DRAIN_TIMEOUT_S
)
_NOTHING_ALLOWED: Final = "captures are switched off: start the server with --allow-capture HOST:PORT"


class Captures:
    """Begins captures, follows them and stops them. Open between its making and `close`."""

    def __init__(
        self,
        rules: CaptureRules,
        registry: Registry,
        capturer: Capturer | None = None,
        sampler: Sampler | None = None,
    ) -> None:
        self._rules = rules
        self._registry = registry
        self._capturer = capturer
        self.monitors = Monitors(sampler)
        self._all: dict[str, RunningCapture] = {}  # oldest first
        self._tasks: set[asyncio.Task[None]] = set()
        self._watchers = Watchers()
        self._is_closed = False

    def clear_up(self) -> None:
        """Removes what captures left that were killed. Takes a look at the disk: not for an event loop."""
        with suppress(CannotCapture, Forbidden):
            for part in remove_leftovers(self._place()):
                _log.info("%s: removed: a capture was killed while this file came", part)

    def room(self) -> CaptureRoom:
        """Returns the hosts that can be captured, the running captures and the last results."""
        reason = self._reason_against()
        return CaptureRoom(
            allowed=reason is None,
            reason=reason,
            targets=[CaptureTarget(name=name, address=str(to)) for name, to in self._rules.targets.items()],
            addresses=self._rules.display_names(),
            captures=[capture.to_schema() for capture in reversed(self._all.values())],
        )

    def begin(self, order: CaptureOrder) -> RunningCapture:
        """Begins a capture.

        Raises `CannotCapture`, `BadRequest`, `Forbidden` for an address that is not allowed, and `InUse` where one is
        captured from already, or too many captures are running.
        """
        logdir = self._place()
        hosts = self._allowed(order.hosts)
        running = [capture for capture in self._all.values() if capture.is_running]
        for host in hosts:
            if any(host.address in capture.addresses for capture in running):
                raise InUse(f"{host.name}: a capture is running there; wait until it ends, or stop it")
        if len(running) >= MOST_RUNNING:
            raise InUse("as many captures are running as this server takes: wait until one ends")
        capture = RunningCapture(order, hosts, self._watchers.wake)
        self._all[capture.id] = capture
        self._forget()
        task = asyncio.create_task(capture.run(self._capture, lambda: self._in_use(capture), logdir, self._take_in))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return capture

    def find(self, capture_id: str) -> RunningCapture:
        """Raises `NotFound`."""
        try:
            return self._all[capture_id]
        except KeyError:
            raise NotFound(f"there is no capture {capture_id!r}") from None

    @contextmanager
    def watching(self, capture_id: str) -> Iterator[Watcher]:
        """Somebody who is woken when something becomes of the capture, until the block is left."""
        with self._watchers.watching(capture_id) as watcher:
            yield watcher

    async def look_up(self, host: str) -> ProfilerAddress:
        """The address of a host by its name. Raises `BadRequest`, `Forbidden`, `CaptureFailed`."""
        return await look_up(self._rules.find(host.strip()))

    async def close(self) -> None:
        """Stops what runs, keeps what hosts return within a few seconds, and gives up the rest."""
        self._is_closed = True
        await self.monitors.close()
        for capture in self._all.values():
            capture.stop()
        tasks = set(self._tasks)
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=STOP_TIMEOUT_S)
            for task in late:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _capture(
        self,
        addresses: Sequence[ProfilerAddress],
        options: CaptureOptions,
        logdir: Path,
        tell: Tell,
        stop: asyncio.Event | None = None,
    ) -> CaptureResult:
        """Captures, while the monitors of these hosts wait."""
        if self._capturer is None:
            from tilescope.capture import capture  # with what speaks gRPC, which few servers need

            self._capturer = capture
        async with self.monitors.held(addresses):
            confined = replace(options, confined_to=tuple(self._registry.paths))
            return await self._capturer(addresses, confined, logdir, tell, stop)

    def _allowed(self, names: Sequence[str]) -> list[AllowedHost]:
        hosts = [self._rules.find(name.strip()) for name in names]
        for k, host in enumerate(hosts):
            if host.address in (other.address for other in hosts[:k]):
                raise BadRequest(f"{host.name}: this host is named twice")
        return hosts

    def _place(self) -> Path:
        if self._is_closed:
            raise CannotCapture("the server is about to end")
        if not self._rules.is_anything_allowed:
            raise Forbidden(_NOTHING_ALLOWED)
        return find_log_directory(self._registry.paths)

    def _reason_against(self) -> str | None:
        try:
            self._place()
        except (CannotCapture, Forbidden) as error:
            return str(error)
        return None

    def _in_use(self, by_others_than: RunningCapture) -> set[ProfilerAddress]:
        others = (capture for capture in self._all.values() if capture.is_running and capture is not by_others_than)
        return {address for capture in others for address in capture.addresses}

    async def _take_in(self, folder: Path) -> str | None:
        """Has the run of a folder listed and indexed at once; its id, None if it is not served."""
        run = await self._registry.find_folder(folder)
        if run is None:
            return None
        with suppress(IndexingFailed):  # said where the run is looked at
            self._registry.request_index(run)
        return run.id

    def _forget(self) -> None:
        """Drops the oldest results."""
        over = [capture.id for capture in self._all.values() if not capture.is_running][
            : max(0, len(self._all) - MOST_KEPT)
        ]
        for capture_id in over:
            del self._all[capture_id]
