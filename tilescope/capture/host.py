"""One host of a capture: attempts until there is a trace, or no sense in another one."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from tilescope.capture.address import ProfilerAddress
from tilescope.capture.arriving_file import ArrivingFile
from tilescope.capture.attempts import wait_s
from tilescope.capture.capture_time import CaptureTime, passes
from tilescope.capture.failures import CaptureCause, CaptureFailed, Failure, Fault
from tilescope.capture.options import CaptureOptions
from tilescope.capture.profile_answer import ProfileAnswer
from tilescope.capture.profiler import Profiler
from tilescope.capture.progress import CapturePhase, HostProgress, Tell
from tilescope.capture.reporting_taker import ReportingTaker
from tilescope.capture.requests import profile_request
from tilescope.capture.result import HostCapture
from tilescope.capture.run_folder import SUFFIX, RunFolder
from tilescope.capture.server_disk import ServerDisk

_NOTHING_TO_KEEP: Final = frozenset({CapturePhase.CONNECTING, CapturePhase.DELAYED})


@dataclass(frozen=True, slots=True)
class CaptureSetting:
    """Settings that all hosts of a capture share."""

    run: RunFolder
    session_id: str
    options: CaptureOptions
    start_ns: int  # Unix time of the moment at which all start; 0: at once
    tell: Tell
    stop: asyncio.Event
    clock: CaptureTime


class HostCapturing:
    """Captures one host, whose files begin with `name`."""

    def __init__(self, address: ProfilerAddress, name: str, setting: CaptureSetting) -> None:
        self._address = address
        self._profiler = Profiler(address)
        self._name = name
        self._setting = setting
        self._options = setting.options
        self._attempt = 1
        self._tool_files: tuple[Path, ...] = ()
        self._root = self._options.repository_root or str(setting.run.root)
        written = Path(self._root, setting.session_id, f"{name}{SUFFIX}")
        is_ours = self._options.repository_root is None
        self._disk = ServerDisk(written, is_ours, self._options.confined_to if is_ours else ())

    async def run(self) -> HostCapture:
        """Captures, and returns the result. Cancelling it ends the remote run."""
        tried: list[Failure] = []
        while True:
            taker = self._taker()
            try:
                path = await self._try(taker)
                self._tell(CapturePhase.DONE, taker)
                size_bytes = path.stat().st_size
                return HostCapture(self._address, self._attempt, path, size_bytes, self._tool_files, tried=tuple(tried))
            except (CaptureFailed, Fault) as error:
                failure = error.failure
            if self._attempt < self._options.attempts and failure.may_pass and not self._setting.stop.is_set():
                tried.append(failure)
                if await self._wait(taker, failure):
                    self._attempt += 1
                    continue
                failure = Failure(CaptureCause.STOPPED)
            self._tell(CapturePhase.FAILED, taker, failure=failure)
            return HostCapture(
                self._address, self._attempt, tool_files=self._tool_files, failure=failure, tried=tuple(tried)
            )

    async def _try(self, taker: ReportingTaker) -> Path:
        """One attempt; the trace file. Raises `CaptureFailed` or `Fault`, and leaves no trace behind then."""
        run = self._setting.run
        taker.go_to(CapturePhase.CONNECTING)
        try:
            answer = await self._profile(taker)
            if answer.empty_trace:
                await asyncio.to_thread(self._disk.remove)
                raise Fault(CaptureCause.EMPTY)
            trace = answer.tool_data.pop(SUFFIX[1:], None) if taker.file is None else None  # as data of a tool
            self._tool_files = await asyncio.to_thread(run.save_tool_data, self._name, answer.tool_data)
            if taker.file is not None:
                await asyncio.to_thread(taker.file.commit)
            else:
                taker.file = self._open()
                take = self._disk.take if trace is None else partial(_keep, trace)
                await asyncio.to_thread(take, taker.file)
            return taker.file.path
        finally:
            taker.end()
            taker.discard()

    async def _profile(self, taker: ReportingTaker) -> ProfileAnswer:
        """Asks, and ends the remote run early when it is to stop."""
        options, setting = self._options, self._setting
        request = profile_request(
            options,
            session_id=setting.session_id,
            host_name=self._name,
            repository_root=self._root,
            start_ns=setting.start_ns if self._delay_s() > 0 else 0,
        )
        within_s = self._delay_s() + options.duration_ms / 1000 + options.answer_within_s
        asking = asyncio.create_task(self._profiler.profile(request, taker, answer_within_s=within_s))
        stopping = asyncio.create_task(setting.stop.wait())
        try:
            await asyncio.wait({asking, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if not asking.done():
                await self._end_early(asking, taker)
            return await asking
        except CaptureFailed as error:
            failure = error.failure
            if failure.cause is CaptureCause.REFUSED_BY_SERVER and self._root in failure.detail:
                raise Fault(CaptureCause.NOT_INLINE, f"and it cannot: {failure.detail}") from None
            raise
        finally:
            stopping.cancel()
            asking.cancel()
            with suppress(asyncio.CancelledError, CaptureFailed, Fault):
                await asking

    async def _end_early(self, asking: asyncio.Task[ProfileAnswer], taker: ReportingTaker) -> None:
        """Has the server send what it has. Raises `Fault` when that is nothing."""
        if taker.phase in _NOTHING_TO_KEEP:
            raise Fault(CaptureCause.STOPPED)
        if taker.phase is CapturePhase.CAPTURING:
            taker.go_to(CapturePhase.STOPPING)
            try:
                await self._profiler.terminate(self._setting.session_id)
            except CaptureFailed as error:
                raise Fault(CaptureCause.STOPPED, f"the server could not be told so: {error.failure}") from None
        patience_s = self._options.answer_within_s
        await asyncio.wait({asking}, timeout=patience_s)
        if not asking.done() and taker.phase is not CapturePhase.RECEIVING:
            raise Fault(CaptureCause.STOPPED, f"the server was told so, and sent nothing for {patience_s:g} s")

    async def _wait(self, taker: ReportingTaker, failure: Failure) -> bool:
        """Waits before the next attempt; whether there is to be one."""
        clock, stop = self._setting.clock, self._setting.stop
        seconds = wait_s(self._attempt, clock.chance())
        self._tell(CapturePhase.WAITING, taker, wait_s=seconds, failure=failure)
        return await passes(clock, seconds, stop)

    def _taker(self) -> ReportingTaker:
        taker = ReportingTaker(
            self._open,
            lambda: self._tell(taker.phase, taker),
            delay_s=self._delay_s,
            duration_s=self._options.duration_ms / 1000,
            most_bytes=self._options.most_answer_bytes,
        )
        return taker

    def _open(self) -> ArrivingFile:
        return self._setting.run.trace_file(self._name)

    def _delay_s(self) -> float:
        """Until all hosts start; 0 when they did, and if they start at once."""
        return max(self._setting.start_ns - self._setting.clock.unix_ns(), 0) / 1e9

    def _tell(
        self, phase: CapturePhase, taker: ReportingTaker, *, wait_s: float = 0.0, failure: Failure | None = None
    ) -> None:
        self._setting.tell(
            HostProgress(
                self._address,
                phase,
                attempt=self._attempt,
                attempts=self._options.attempts,
                duration_ms=self._options.duration_ms,
                size_bytes=taker.size_bytes,
                total_bytes=taker.total_bytes,
                wait_s=wait_s,
                failure=failure,
            )
        )


def _keep(trace: bytes, file: ArrivingFile) -> None:
    file.write(trace)
    file.commit()
