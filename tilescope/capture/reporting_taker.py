"""Receiver of a trace from a server: writes it into a file, and reports the progress to whoever watches."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from tilescope.capture.amounts import megabytes
from tilescope.capture.arriving_file import ArrivingFile
from tilescope.capture.failures import CaptureCause, Fault
from tilescope.capture.progress import CapturePhase

TELL_EVERY_S: Final = 0.2  # while bytes come


class ReportingTaker:
    """Takes one trace. `file` is there when bytes of it have come."""

    def __init__(
        self,
        open_file: Callable[[], ArrivingFile],
        moved: Callable[[], None],
        *,
        delay_s: Callable[[], float],
        duration_s: float,
        most_bytes: int,
    ) -> None:
        self.file: ArrivingFile | None = None
        self.phase = CapturePhase.CONNECTING
        self.total_bytes = 0
        self._open_file = open_file
        self._moved = moved
        self._delay_s = delay_s
        self._duration_s = duration_s
        self._most_bytes = most_bytes
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._reported_s = 0.0

    @property
    def size_bytes(self) -> int:
        """That have come."""
        return 0 if self.file is None else self.file.size_bytes

    def greeted(self) -> None:
        """The server has the request: what it does now is a matter of time."""
        delay_s = self._delay_s()
        if delay_s > 0:
            self.go_to(CapturePhase.DELAYED)
            self._timer = self._loop.call_later(delay_s, self._start)
        else:
            self._start()

    def begin(self, size_bytes: int) -> None:
        """The answer begins."""
        if size_bytes > self._most_bytes:
            what = f"{megabytes(size_bytes)}; at most {megabytes(self._most_bytes)} are taken"
            raise Fault(CaptureCause.TOO_LARGE, what)
        self.total_bytes = size_bytes

    def take(self, data: memoryview) -> None:
        """The next bytes of the trace."""
        if self.file is None:
            self.file = self._open_file()
            self.file.expect(self.total_bytes)
            self.go_to(CapturePhase.RECEIVING)
        self.file.write(data)
        if self._loop.time() - self._reported_s >= TELL_EVERY_S:
            self._tell()

    def go_to(self, phase: CapturePhase) -> None:
        """Tells that the capture is in this phase now."""
        self.end()
        self.phase = phase
        self._tell()

    def end(self) -> None:
        """No phase follows by time alone."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def discard(self) -> None:
        """Removes what has come."""
        if self.file is not None:
            self.file.discard()

    def _start(self) -> None:
        if not self._duration_s:
            self.go_to(CapturePhase.COLLECTING)
            return
        self.go_to(CapturePhase.CAPTURING)
        self._timer = self._loop.call_later(self._duration_s, self.go_to, CapturePhase.COLLECTING)

    def _tell(self) -> None:
        self._reported_s = self._loop.time()
        self._moved()
