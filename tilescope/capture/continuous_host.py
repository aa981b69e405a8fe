"""One host of a continuous capture."""

from __future__ import annotations

import asyncio
import secrets
from contextlib import suppress
from typing import Final

from tilescope.capture.address import ProfilerAddress
from tilescope.capture.failures import CaptureCause, CaptureFailed, Failure, Fault
from tilescope.capture.options import CaptureOptions
from tilescope.capture.profiler import Profiler
from tilescope.capture.progress import CapturePhase, HostProgress, Tell
from tilescope.capture.reporting_taker import ReportingTaker
from tilescope.capture.requests import profile_request
from tilescope.capture.result import HostCapture
from tilescope.capture.run_folder import RunFolder

END_WITHIN_S: Final = 10.0


class ContinuousHost:
    """Records on one host; a failure is kept until the next window, which tells it, and tries to start again."""

    def __init__(
        self,
        address: ProfilerAddress,
        name: str,
        options: CaptureOptions,
        interval_s: float,
        most_bytes: int,
        tell: Tell,
    ) -> None:
        self._address = address
        self._name = name
        self._options = options
        self._interval_s = interval_s
        self._most_bytes = most_bytes
        self._tell_of = tell
        self._profiler = Profiler(address)
        self._is_recording = False
        self._is_ours = False  # what still records there, if anything does
        self._failure: Failure | None = None

    async def start(self, *, take_over: bool = False) -> None:
        """Starts to record, or keeps why not."""
        self._tell(CapturePhase.CONNECTING)
        request = profile_request(
            self._options,
            session_id=f"continuous.{secrets.token_hex(4)}",
            host_name=self._name,
            repository_root="",  # windows are sent, never written there
        )
        try:
            if take_over or self._is_ours:
                with suppress(CaptureFailed):  # there is none
                    await self._profiler.stop_continuous()
            await self._profiler.start_continuous(request)
            self._is_recording = self._is_ours = True
            self._tell(CapturePhase.CAPTURING)
        except CaptureFailed as error:
            self._fail(error.failure)

    async def snapshot(self, run: RunFolder) -> HostCapture:
        """Fetches the events recorded since the last snapshot."""
        if not self._is_recording:
            failure = self._failure
            await self.start()
            return HostCapture(self._address, 1, failure=failure)
        taker = ReportingTaker(
            lambda: run.trace_file(self._name),
            lambda: self._tell(taker.phase, taker),
            delay_s=lambda: 0.0,
            duration_s=0.0,
            most_bytes=self._most_bytes,
        )
        try:
            answer = await self._profiler.snapshot(taker, answer_within_s=self._options.answer_within_s)
            if answer.empty_trace or taker.file is None:
                raise Fault(CaptureCause.EMPTY)
            await asyncio.to_thread(taker.file.commit)
            self._tell(CapturePhase.CAPTURING)  # the next window
            return HostCapture(self._address, 1, taker.file.path, taker.size_bytes)
        except (CaptureFailed, Fault) as error:
            self._is_recording = error.failure.cause is CaptureCause.EMPTY
            self._fail(error.failure)
            return HostCapture(self._address, 1, failure=error.failure)
        finally:
            taker.end()
            taker.discard()

    async def end(self) -> None:
        """Stops to record, if the server can still be told so."""
        if self._is_recording:
            with suppress(CaptureFailed, TimeoutError):
                async with asyncio.timeout(END_WITHIN_S):
                    await self._profiler.stop_continuous()
            self._tell(CapturePhase.DONE)

    def _fail(self, failure: Failure) -> None:
        self._failure = failure
        self._tell(CapturePhase.FAILED, failure=failure)

    def _tell(
        self, phase: CapturePhase, taker: ReportingTaker | None = None, *, failure: Failure | None = None
    ) -> None:
        self._tell_of(
            HostProgress(
                self._address,
                phase,
                duration_ms=round(self._interval_s * 1000),
                size_bytes=0 if taker is None else taker.size_bytes,
                total_bytes=0 if taker is None else taker.total_bytes,
                failure=failure,
            )
        )
