"""One unary gRPC call over a connection of its own, whose answer is handed on in pieces while it comes.

grpcio's Python API gives a unary answer as one object: a trace of a gigabyte would take that much memory, and more. So
this speaks HTTP/2 itself (with `h2`), as far as unary gRPC over an insecure channel needs it.
"""

from __future__ import annotations

import asyncio
import math
import urllib.parse
from contextlib import suppress
from typing import Final, Protocol

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions
from h2.settings import SettingCodes, Settings

from tilescope.capture.address import ProfilerAddress
from tilescope.capture.connecting import connect
from tilescope.capture.failures import CaptureCause, Fault
from tilescope.capture.greeting import Greeting
from tilescope.capture.grpc_message import MessageReader
from tilescope.capture.grpc_status import fault_of_http, fault_of_status

GREET_WITHIN_S: Final = 20.0  # until the first bytes: a server of HTTP/2 greets at once, whatever it is asked
STALL_S: Final = 60.0  # that an answer may pause once it has begun
SERVER_MARGIN_S: Final = 3600  # that the server may work longer than we wait: we say why, and it would not

_READ_BYTES: Final = 1 << 18
_WINDOW_BYTES: Final = 1 << 24  # that the server may send ahead
_FRAME_BYTES: Final = 1 << 17
_MOST_HEADER_BYTES: Final = 1 << 16
_SETTINGS: Final = {
    SettingCodes.ENABLE_PUSH: 0,
    SettingCodes.INITIAL_WINDOW_SIZE: _WINDOW_BYTES,
    SettingCodes.MAX_FRAME_SIZE: _FRAME_BYTES,
    SettingCodes.MAX_HEADER_LIST_SIZE: _MOST_HEADER_BYTES,
}
_STREAM: Final = 1


class Taker(Protocol):
    """Receiver of an answer. Its methods may raise `Fault`, which ends the call."""

    def greeted(self) -> None:
        """There is a server, and it has the request."""

    def begin(self, size_bytes: int) -> None:
        """The answer begins, and will have so many bytes."""

    def feed(self, data: memoryview) -> None:
        """The next bytes of the answer."""


async def call(address: ProfilerAddress, method: str, request: bytes, taker: Taker, *, answer_within_s: float) -> None:
    """Calls `method` ("/package.Service/Method"). Returns when `taker` has the whole answer and the server said OK.

    The answer must begin within `answer_within_s`, and then not pause for long. The connection is closed in any case,
    which cancels a call that is not over. Raises `Fault`, and what `taker` raises.
    """
    reader, writer = await connect(address)
    try:
        await _Exchange(reader, writer, taker).run(str(address), method, request, answer_within_s)
    finally:
        writer.transport.abort()  # nothing more is to be sent, and nobody reads what still comes
        with suppress(OSError):
            await writer.wait_closed()


class _Exchange:
    """One call on its connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, taker: Taker) -> None:
        self._reader = reader
        self._writer = writer
        self._taker = taker
        self._http = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True, header_encoding=None))
        self._greeting = Greeting()
        self._message = MessageReader(taker)
        self._begun_at: float | None = None  # when the last bytes of the answer came
        self._is_over = False

    async def run(self, authority: str, method: str, request: bytes, answer_within_s: float) -> None:
        """Sends the request, and receives until the call is over."""
        now = asyncio.get_running_loop().time
        began = now()
        self._ask(authority, method, request, answer_within_s)
        while not self._is_over:
            if self._begun_at is not None:
                until, why = self._begun_at + STALL_S, f"the answer stopped for {STALL_S:g} s"
            else:
                until, why = began + answer_within_s, f"nothing came for {answer_within_s:g} s"
            if not self._greeting.is_complete and began + GREET_WITHIN_S < until:
                until, why = (
                    began + GREET_WITHIN_S,
                    f"it accepted the connection, and said nothing for {GREET_WITHIN_S:g} s",
                )
            try:
                async with asyncio.timeout_at(until):
                    self._writer.write(self._http.data_to_send())
                    await self._writer.drain()
                    data = await self._reader.read(_READ_BYTES)
            except TimeoutError:
                raise Fault(CaptureCause.DEADLINE, why) from None
            except OSError as error:
                raise self._lost("" if isinstance(error, ConnectionError) else str(error)) from None
            if not data:
                raise self._lost("")
            had = self._message.received_bytes
            self._receive(data)
            if self._message.received_bytes > had:
                self._begun_at = now()

    def _ask(self, authority: str, method: str, request: bytes, answer_within_s: float) -> None:
        http = self._http
        # From the first byte on, not when the server confirms them: servers of gRPC use them before they do.
        http.local_settings = Settings(client=True, initial_values=_SETTINGS)
        http.max_inbound_frame_size = _FRAME_BYTES
        http.initiate_connection()
        http.increment_flow_control_window(_WINDOW_BYTES)
        headers = (
            (":method", "POST"),
            (":scheme", "http"),
            (":path", method),
            (":authority", authority),
            ("te", "trailers"),
            ("content-type", "application/grpc"),
            ("grpc-timeout", f"{math.ceil(answer_within_s) + SERVER_MARGIN_S}S"),
            ("user-agent", "tilescope"),
        )
        http.send_headers(_STREAM, headers)
        http.send_data(_STREAM, b"\0" + len(request).to_bytes(4, "big") + request, end_stream=True)

    def _receive(self, data: bytes) -> None:
        if not self._greeting.is_complete:
            self._greeting.feed(data)
            if not self._greeting.is_complete:
                return
            data = self._greeting.first
            self._taker.greeted()
        try:
            events = self._http.receive_data(data)
            for event in events:
                self._act(event)
        except h2.exceptions.ProtocolError as error:
            kind = _code_name(error.error_code).lower().replace("_", " ")
            raise Fault(CaptureCause.BAD_ANSWER, f"it breaks the rules of HTTP/2 ({kind})") from None

    def _act(self, event: h2.events.Event) -> None:
        match event:
            case h2.events.DataReceived():
                self._message.feed(memoryview(event.data))
                self._http.acknowledge_received_data(event.flow_controlled_length, _STREAM)
            case h2.events.ResponseReceived():
                headers = _texts(event.headers)
                if "grpc-status" not in headers:
                    fault = fault_of_http(headers)
                    if fault is not None:
                        raise fault
                else:
                    self._end(headers)
            case h2.events.TrailersReceived():
                self._end(_texts(event.headers))
            case h2.events.StreamEnded() if not self._is_over:
                raise Fault(CaptureCause.BAD_ANSWER, "it ends without a status")
            case h2.events.StreamReset() if not self._is_over:
                raise Fault(CaptureCause.LOST, f"the server reset the call ({_code_name(event.error_code)})")
            case h2.events.ConnectionTerminated() if not self._is_over:
                text = (event.additional_data or b"").decode("utf-8", "replace")[:200]
                what = ": ".join(filter(None, (_code_name(event.error_code), text)))
                raise Fault(CaptureCause.LOST, f"the server ended the connection ({what})")
            case _:
                pass

    def _end(self, headers: dict[str, str]) -> None:
        """The call is over, with a status."""
        fault = fault_of_status(headers.get("grpc-status", ""), urllib.parse.unquote(headers.get("grpc-message", "")))
        if fault is not None:
            raise fault
        self._message.finish()
        self._is_over = True

    def _lost(self, why: str) -> Fault:
        """The fault of a lost connection."""
        if not self._greeting.is_complete:
            return self._greeting.cut_short()
        how_far = f"after {self._message.how_far()}" if self._message.received_bytes else ""
        return Fault(CaptureCause.LOST, ": ".join(filter(None, (how_far, why))))


def _texts(headers: list[tuple[bytes, bytes]] | None) -> dict[str, str]:
    return {bytes(name).decode("latin-1"): bytes(value).decode("latin-1") for name, value in headers or ()}


def _code_name(code: int | None) -> str:
    names = {int(error_code): error_code.name for error_code in h2.errors.ErrorCodes}
    return names.get(code or 0, f"code {code}")
