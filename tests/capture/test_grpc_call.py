"""What a server may do instead of answering, and what is said of it."""

from __future__ import annotations

import asyncio
import socket

import h2.connection
import pytest

from tests.capture.fake_profiler import FakeProfiler, answering
from tests.capture.peers import HEADERS, Peer, answering_with, message, peer, saying, silent, speaking_http2
from tilescope.capture import CaptureFailed, Profiler, ProfilerAddress, grpc_call
from tilescope.capture.failures import CaptureCause, Failure
from tilescope.profiler import profiler_pb2 as pb

C = CaptureCause
TRACE = pb.ProfileResponse(xspace=b"trace", tool_data=[{"name": "a", "data": b"x"}]).SerializeToString()


class Kept:
    """Takes a trace, and keeps it."""

    def __init__(self) -> None:
        self.data = b""

    def greeted(self) -> None:
        pass

    def begin(self, size_bytes: int) -> None:
        pass

    def take(self, data: memoryview) -> None:
        self.data += data


async def failure_of(address: ProfilerAddress, within_s: float = 30) -> Failure:
    with pytest.raises(CaptureFailed) as failed:
        await Profiler(address).profile(pb.ProfileRequest(), Kept(), answer_within_s=within_s)
    assert str(failed.value).startswith(f"{address}: {failed.value.failure}")
    return failed.value.failure


async def test_an_answer_in_pieces_of_any_size() -> None:
    whole = message(TRACE)
    for size in (1, 2, 3, 7, len(whole)):
        kept = Kept()
        parts = (whole[k : k + size] for k in range(0, len(whole), size))
        async with peer(speaking_http2(answering_with(*parts))) as address:
            answer = await Profiler(address).profile(pb.ProfileRequest(), kept, answer_within_s=30)
        assert (kept.data, answer.xspace_bytes, answer.tool_data) == (b"trace", 5, {"a": b"x"})


async def test_a_server_that_uses_our_settings_before_it_confirms_them() -> None:
    trace = bytes(200_000)

    def answer(http: h2.connection.H2Connection) -> None:
        http.data_to_send()  # the confirmation, which does not go out
        http.max_outbound_frame_size = 1 << 17
        whole = message(pb.ProfileResponse(xspace=trace).SerializeToString())
        answering_with(whole[:120_000], whole[120_000:])(http)

    kept = Kept()
    async with peer(speaking_http2(answer)) as address:
        await Profiler(address).profile(pb.ProfileRequest(), kept, answer_within_s=30)
    assert kept.data == trace


async def test_calls_with_small_answers() -> None:
    monitored = pb.MonitorResponse(data="fine")
    fake = FakeProfiler({"Monitor": lambda request, context: monitored, "Terminate": answering()})
    with fake.serving() as address:
        profiler = Profiler(address)
        assert await profiler.monitor(100, 2) == monitored
        await profiler.terminate("s")
        with pytest.raises(CaptureFailed) as failed:
            await profiler.stop_continuous()
    assert fake.asked == [
        ("Monitor", pb.MonitorRequest(duration_ms=100, monitoring_level=2)),
        ("Terminate", pb.TerminateRequest(session_id="s")),
    ]
    assert failed.value.failure == Failure(C.UNIMPLEMENTED, "UNIMPLEMENTED: Method not found!")


def with_headers(*headers: tuple[str, str]) -> Peer:
    return speaking_http2(lambda http: http.send_headers(1, headers, end_stream=True))


def reset(http: h2.connection.H2Connection) -> None:
    http.reset_stream(1, 8)


def go_away(http: h2.connection.H2Connection) -> None:
    http.close_connection(11, b"too_many_pings")


@pytest.mark.parametrize(
    ("behave", "failure"),
    [
        (
            saying(b"HTTP/1.1 400 Bad Request\r\nServer: x\r\n\r\n"),
            Failure(C.NOT_A_PROFILER, 'it is a web server, and says "HTTP/1.1 400 Bad Request"'),
        ),
        (
            saying(b"<!DOCTYPE HTML>\n<html>"),  # to whom HTTP/2 is not even HTTP/1.0
            Failure(C.NOT_A_PROFILER, 'it is a web server, and says "<!DOCTYPE HTML>"'),
        ),
        (saying(b"SSH-2.0-OpenSSH_9.2\r\n"), Failure(C.NOT_A_PROFILER, 'it says "SSH-2.0-OpenSSH_9.2"')),
        (saying(b"hi"), Failure(C.NOT_A_PROFILER, 'it says "hi"')),
        (
            saying(b"\x15\x03\x01\0\2\2\x46"),
            Failure(C.NOT_A_PROFILER, "it speaks TLS, and profiler servers do not"),
        ),
        (saying(b'it\'s "here"\n'), Failure(C.NOT_A_PROFILER, 'it says "it\'s "here""')),
        (saying(b"HTTP/1.1 \x1b[2J\n"), Failure(C.NOT_A_PROFILER, "it is a web server")),
        (saying(bytes(20)), Failure(C.NOT_A_PROFILER, "it does not speak HTTP/2")),
        (
            saying(b""),
            Failure(
                C.REFUSED,
                "the connection was taken and closed at once, as tunnels and proxies do if nothing listens behind them",
            ),
        ),
        (
            saying(bytes.fromhex("000000040000000000") + bytes(9)),  # data of no stream
            Failure(C.BAD_ANSWER, "it breaks the rules of HTTP/2 (protocol error)"),
        ),
        (
            with_headers((":status", "404"), ("content-type", "text/html")),
            Failure(C.NOT_A_PROFILER, "it is a web server, and says HTTP status 404"),
        ),
        (
            with_headers((":status", "200"), ("content-type", "text/html")),
            Failure(C.NOT_A_PROFILER, "it is a web server, and says HTTP status 200"),
        ),
        (with_headers((":status", "503")), Failure(C.UNREACHABLE, "a proxy says HTTP status 503")),
        (
            with_headers(*HEADERS, ("grpc-status", "13"), ("grpc-message", "Another profiling session active.")),
            Failure(C.BUSY, "Another profiling session active"),
        ),
        (
            with_headers(*HEADERS, ("grpc-status", "7"), ("grpc-message", "keep%20out%C3%A9" + "x" * 1000)),
            Failure(C.REFUSED_BY_SERVER, "PERMISSION_DENIED: keep outé" + "x" * 491),
        ),
        (with_headers(*HEADERS, ("grpc-status", "99")), Failure(C.REFUSED_BY_SERVER, "status 99")),
        (with_headers(*HEADERS, ("grpc-status", "4")), Failure(C.DEADLINE, "DEADLINE_EXCEEDED")),
        (with_headers(*HEADERS, ("grpc-status", "x")), Failure(C.BAD_ANSWER, "it ends without a status")),
        (with_headers(*HEADERS, ("grpc-status", "0")), Failure(C.BAD_ANSWER, "it ends without a message")),
        (with_headers(*HEADERS, ("grpc-status", "00")), Failure(C.BAD_ANSWER, "it ends without a message")),
        (with_headers(*HEADERS), Failure(C.BAD_ANSWER, "it ends without a status")),
        (speaking_http2(reset), Failure(C.LOST, "the server reset the call (CANCEL)")),
        (
            speaking_http2(go_away),
            Failure(C.LOST, "the server ended the connection (ENHANCE_YOUR_CALM: too_many_pings)"),
        ),
        (speaking_http2(answering_with(trailers=None), closes=True), Failure(C.LOST)),
        (
            speaking_http2(answering_with(message(TRACE)[:9], trailers=None), closes=True),
            Failure(C.LOST, f"after 4 of {len(TRACE)} bytes"),
        ),
        (
            speaking_http2(answering_with(message(TRACE, size=1000))),
            Failure(C.BAD_ANSWER, f"it ends after {len(TRACE)} of 1,000 bytes"),
        ),
        (
            speaking_http2(answering_with(message(TRACE, size=3))),
            Failure(C.BAD_ANSWER, "it goes on after the 3 bytes that it was to have"),
        ),
        (
            speaking_http2(answering_with(message(TRACE, flag=1))),
            Failure(C.BAD_ANSWER, "it is compressed, which was not asked for"),
        ),
        (speaking_http2(answering_with(message(b"\x42\x50abc"))), Failure(C.BAD_ANSWER, "it ends within a field")),
    ],
)
async def test_failures(behave: Peer, failure: Failure) -> None:
    async with peer(behave) as address:
        assert await failure_of(address) == failure


async def test_nobody_listens() -> None:
    with socket.socket() as taken:  # bound, and not listening
        taken.bind(("127.0.0.1", 0))
        address = ProfilerAddress("127.0.0.1", taken.getsockname()[1])
        assert await failure_of(address) == Failure(C.REFUSED)
    assert (await failure_of(ProfilerAddress("no-such-host.invalid", 80))).cause is C.UNKNOWN_HOST


async def test_time_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    async with peer(speaking_http2(lambda http: None)) as address:
        assert await failure_of(address, 0.05) == Failure(C.DEADLINE, "nothing came for 0.05 s")
    monkeypatch.setattr(grpc_call, "STALL_S", 0.05)
    async with peer(speaking_http2(answering_with(message(TRACE)[:9], trailers=None))) as address:
        assert await failure_of(address) == Failure(C.DEADLINE, "the answer stopped for 0.05 s")
    monkeypatch.setattr(grpc_call, "GREET_WITHIN_S", 0.05)
    async with peer(silent) as address:
        assert await failure_of(address) == Failure(
            C.DEADLINE, "it accepted the connection, and said nothing for 0.05 s"
        )


async def test_cancelling_closes_the_connection() -> None:
    closed = asyncio.Event()
    asked = asyncio.Event()

    async def watch(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await speaking_http2(lambda http: asked.set())(reader, writer)

    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await watch(reader, writer)
        finally:
            closed.set()

    async with peer(behave) as address:
        calling = asyncio.create_task(Profiler(address).profile(pb.ProfileRequest(), Kept(), answer_within_s=30))
        await asyncio.wait_for(asked.wait(), 30)
        calling.cancel()
        await asyncio.wait({calling})
        assert calling.cancelled()
        await asyncio.wait_for(closed.wait(), 30)


async def test_an_endless_answer_is_cut() -> None:
    """A server that says 4 GB and sends what is none of it: headers, pings and settings do not count as an answer."""

    def flood(http: h2.connection.H2Connection) -> None:
        for _ in range(1000):
            http.ping(b"12345678")

    async with peer(speaking_http2(flood)) as address:
        assert (await failure_of(address, 0.2)).cause is C.DEADLINE
