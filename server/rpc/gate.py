"""Admission of calls, those of reflection too, before anything else: is there room, and is the token right?

Also where it is written down when it has ended. Whether the server lives is no secret, and needs no token.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Any, Final

import grpc

from tilescope.server.access_log import write_entry
from tilescope.server.errors import BadMessage, TooSlow
from tilescope.server.guard.access import Access
from tilescope.server.guard.guests import Guests
from tilescope.server.metrics import Metrics
from tilescope.server.rpc.failures import http_status, refuse
from tilescope.server.rpc.peers import client_of, port_of
from tilescope.v1 import tiles_pb2

SERVICE: Final = tiles_pb2.DESCRIPTOR.services_by_name["Tiles"].full_name

FIRST_MESSAGE_S: Final = 10.0  # from the head of a call

_COUNTED: Final = f"/{SERVICE}/"
_OPEN: Final = "/grpc.health.v1.Health/"
_KINDS: Final = ("unary_unary", "unary_stream", "stream_unary", "stream_stream")


class Gate(grpc.aio.ServerInterceptor):  # type: ignore[misc]  # grpc has no type hints
    """Lets calls through that carry the token, on no more connections than a client may have."""

    def __init__(self, access: Access, guests: Guests, metrics: Metrics) -> None:
        self._access = access
        self._guests = guests
        self._metrics = metrics
        self._calls = Counter[str]()  # under way, by connection
        guests.rooms.append(lambda: map(client_of, self._calls))

    async def intercept_service(self, continuation: Callable[[Any], Awaitable[Any]], call: Any) -> Any:
        """The handler of the call behind the gate."""
        handler = await continuation(call) or grpc.unary_unary_rpc_method_handler(_unknown)
        kind = next(kind for kind in _KINDS if getattr(handler, kind) is not None)
        behaviour, serialize = getattr(handler, kind), handler.response_serializer or bytes
        size_bytes = 0

        def serialized(response: Any) -> bytes:
            nonlocal size_bytes
            message: bytes = response if isinstance(response, bytes) else serialize(response)  # some is ready to go
            size_bytes += len(message)
            return message

        async def passed(messages: AsyncIterator[bytes], context: Any) -> None:
            client, began_s = client_of(context.peer()), time.perf_counter()
            context.add_done_callback(lambda _: self._note(call, status_of_end(context), client, size_bytes, began_s))
            try:
                self._enter(context)
                self._check_token(call, context.peer())
                requests = _requests(messages, handler.request_deserializer or bytes)
                answering = behaviour(requests if handler.request_streaming else await anext(requests), context)
                if not inspect.isasyncgen(answering):
                    response = await answering
                    if not handler.response_streaming:
                        await context.write(response)
                    return
                async with aclosing(answering) as responses:
                    async for response in responses:
                        await context.write(response)
            except Exception as error:
                raise await refuse(context, error) from None

        # A call with one request and one answer is, on the wire, a stream of one each way. As a stream it is ours from
        # its head on: before its message has come, which may take for ever, and whether or not that can be read.
        return grpc.stream_stream_rpc_method_handler(passed, None, serialized)

    def _enter(self, context: Any) -> None:
        peer = context.peer()
        if peer not in self._calls:
            self._guests.check(client_of(peer))
        self._calls[peer] += 1
        context.add_done_callback(lambda _: self._leave(peer))

    def _leave(self, peer: str) -> None:
        self._calls[peer] -= 1
        if not self._calls[peer]:
            del self._calls[peer]

    def _check_token(self, call: Any, peer: str) -> None:
        if not call.method.startswith(_OPEN):
            given = [value for name, value in call.invocation_metadata if name == "authorization"]
            self._access.check_bearer(given[0] if len(given) == 1 else None)
            self._guests.callers.add((client_of(peer), port_of(peer)))

    def _note(self, call: Any, status: grpc.StatusCode, client: str, size_bytes: int, began_s: float) -> None:
        if call.method.startswith(_COUNTED):
            self._metrics.call(call.method.removeprefix(_COUNTED), status.name.lower())
        agents = [value for name, value in call.invocation_metadata if name == "user-agent"]
        write_entry(
            client=client,
            method="gRPC",
            path=call.method,
            status=http_status(status),
            size_bytes=size_bytes,
            seconds=time.perf_counter() - began_s,
            agent=" ".join(agents),
        )


def status_of_end(context: Any) -> grpc.StatusCode:
    """Status with which a call has ended. A call without one was cancelled: by its client, or by its deadline."""
    code: grpc.StatusCode | None = context.code()
    return code or (grpc.StatusCode.OK if context.done() else grpc.StatusCode.CANCELLED)


async def _unknown(_request: bytes, context: Any) -> None:
    await context.abort(grpc.StatusCode.UNIMPLEMENTED, "there is no call of that name")


async def _requests(messages: AsyncIterator[bytes], read: Callable[[bytes], Any]) -> AsyncIterator[Any]:
    """The requests of a call. Raises `TooSlow` when the first does not come, and `BadMessage`."""
    try:
        async with asyncio.timeout(FIRST_MESSAGE_S):
            message = await anext(messages, None)
    except TimeoutError:
        raise TooSlow(f"the call has sent no message for {FIRST_MESSAGE_S:.0f} s") from None
    if message is None:
        raise BadMessage("the call has no message")
    while message is not None:
        try:
            request = read(message)
        except Exception:  # whatever a library thinks of it
            raise BadMessage("the message cannot be parsed: it is not of the type that this call takes") from None
        yield request
        message = await anext(messages, None)
