"""One profiler server: its methods, as calls that return messages or raise `CaptureFailed`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

from google.protobuf.message import DecodeError, Message

from tilescope.capture.address import ProfilerAddress
from tilescope.capture.failures import CaptureCause, CaptureFailed, Fault
from tilescope.capture.grpc_call import call
from tilescope.capture.profile_answer import AnswerReader, ProfileAnswer
from tilescope.profiler import profiler_pb2 as pb

SERVICE: Final = "/tensorflow.ProfilerService/"
ANSWER_WITHIN_S: Final = 30.0  # of calls that only set something
MOST_MESSAGE_BYTES: Final = 4_000_000  # of answers that are kept in memory


class TraceTaker(Protocol):
    """Receiver of a captured trace. Its methods may raise `Fault`, which ends the call."""

    def greeted(self) -> None:
        """The server has the request."""

    def begin(self, size_bytes: int) -> None:
        """The answer begins, and will have so many bytes, of which nearly all are the trace."""

    def take(self, data: memoryview) -> None:
        """The next bytes of the trace."""


class Profiler:
    """A profiler server. Each call has a connection of its own, so that several may run side by side."""

    def __init__(self, address: ProfilerAddress) -> None:
        self.address = address

    async def profile(self, request: pb.ProfileRequest, taker: TraceTaker, *, answer_within_s: float) -> ProfileAnswer:
        """Captures; what the server says of it when `taker` has the trace. Cancelling it ends the remote run."""
        return await self._trace("Profile", request, taker, answer_within_s)

    async def terminate(self, session_id: str) -> None:
        """Ends the `profile` of that session, which then returns what it has."""
        await self._call("Terminate", pb.TerminateRequest(session_id=session_id))

    async def monitor(self, duration_ms: int, level: int, *, timestamp: bool = False) -> pb.MonitorResponse:
        """Utilisation, measured for `duration_ms`. Many servers have no such method: `UNIMPLEMENTED`."""
        request = pb.MonitorRequest(duration_ms=duration_ms, monitoring_level=level, timestamp=timestamp)
        answer = await self._call("Monitor", request, duration_ms / 1000 + ANSWER_WITHIN_S)
        return self._parsed(pb.MonitorResponse, answer)

    async def start_continuous(self, request: pb.ProfileRequest) -> None:
        """Starts to record until `stop_continuous`."""
        await self._call("StartContinuousProfiling", request)

    async def snapshot(self, taker: TraceTaker, *, answer_within_s: float) -> ProfileAnswer:
        """Fetches the events recorded since the start, or since the last snapshot."""
        return await self._trace("GetSnapshot", pb.GetSnapshotRequest(), taker, answer_within_s)

    async def stop_continuous(self) -> None:
        """Stops to record; what was recorded since the last snapshot is lost."""
        await self._call("StopContinuousProfiling", pb.StopContinuousProfilingRequest())

    async def _trace(self, method: str, request: Message, taker: TraceTaker, answer_within_s: float) -> ProfileAnswer:
        passing = _Passing(taker)
        try:
            await call(
                self.address, SERVICE + method, request.SerializeToString(), passing, answer_within_s=answer_within_s
            )
            return passing.reader.finish()
        except Fault as fault:
            raise self._failed(fault) from None

    async def _call(self, method: str, request: Message, answer_within_s: float = ANSWER_WITHIN_S) -> bytes:
        kept = _Kept()
        try:
            await call(
                self.address, SERVICE + method, request.SerializeToString(), kept, answer_within_s=answer_within_s
            )
        except Fault as fault:
            raise self._failed(fault) from None
        return bytes(kept.data)

    def _parsed(self, kind: type[pb.MonitorResponse], data: bytes) -> pb.MonitorResponse:
        try:
            return kind.FromString(data)
        except DecodeError:
            raise self._failed(Fault(CaptureCause.BAD_ANSWER, "it is damaged")) from None

    def _failed(self, fault: Fault) -> CaptureFailed:
        return CaptureFailed(str(self.address), fault.failure)


class _Passing:
    """Passes the trace within an answer on."""

    def __init__(self, taker: TraceTaker) -> None:
        self.greeted: Callable[[], None] = taker.greeted
        self.begin: Callable[[int], None] = taker.begin
        self.reader = AnswerReader(taker.take)
        self.feed: Callable[[memoryview], None] = self.reader.feed


class _Kept:
    """Keeps a small answer."""

    def __init__(self) -> None:
        self.data = bytearray()

    def greeted(self) -> None:
        pass

    def begin(self, size_bytes: int) -> None:
        if size_bytes > MOST_MESSAGE_BYTES:
            raise Fault(CaptureCause.BAD_ANSWER, f"{size_bytes:,} bytes, where a few hundred are usual")

    def feed(self, data: memoryview) -> None:
        self.data += data
