"""Asks every call for the token before anything is looked at, reflection too. Whether the server lives is no secret."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

import grpc

from tilescope.server.access import Access
from tilescope.server.errors import Unauthorized
from tilescope.server.rpc.failures import refuse

_OPEN: Final = "/grpc.health.v1.Health/"


class Guard(grpc.aio.ServerInterceptor):  # type: ignore[misc]  # grpc has no type hints
    """Lets calls through that carry the token."""

    def __init__(self, access: Access) -> None:
        self._access = access

    async def intercept_service(self, continuation: Callable[[Any], Awaitable[Any]], call: Any) -> Any:
        """The handler of the call, or one that refuses."""
        handler = await continuation(call)
        if handler is None or self._access.is_open or call.method.startswith(_OPEN):
            return handler
        given = [value for name, value in call.invocation_metadata if name == "authorization"]
        try:
            self._access.check_bearer(given[0] if len(given) == 1 else None)
        except Unauthorized as error:
            return _refusing(handler, error)
        return handler


def _refusing(handler: Any, error: Unauthorized) -> Any:
    async def answer(_request: Any, context: Any) -> None:
        await refuse(context, error)

    async def stream(_request: Any, context: Any) -> Any:
        await refuse(context, error)
        yield

    kinds = {
        (False, False): (grpc.unary_unary_rpc_method_handler, answer),
        (False, True): (grpc.unary_stream_rpc_method_handler, stream),
        (True, False): (grpc.stream_unary_rpc_method_handler, answer),
        (True, True): (grpc.stream_stream_rpc_method_handler, stream),
    }
    make, refusal = kinds[handler.request_streaming, handler.response_streaming]
    return make(refusal, handler.request_deserializer, handler.response_serializer)
