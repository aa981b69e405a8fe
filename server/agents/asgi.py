"""One request of aiohttp as a call of an ASGI application, whose answer is small and comes at once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from aiohttp import web
from multidict import CIMultiDict

Message = MutableMapping[str, Any]
Application = Callable[
    [Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]
]


async def asgi_answer(application: Application, request: web.Request) -> web.Response:
    """The answer of the application. The body of the request is bounded by the server's own limit."""
    body: bytes | None = await request.read()
    headers: CIMultiDict[str] = CIMultiDict()
    status, parts = 500, []

    async def receive() -> Message:
        nonlocal body
        if body is None:
            return {"type": "http.disconnect"}
        message = {"type": "http.request", "body": body, "more_body": False}
        body = None
        return message

    async def send(message: Message) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]
            for name, value in message["headers"]:
                if name.lower() != b"content-length":  # aiohttp says it
                    headers.add(name.decode("latin-1"), value.decode("latin-1"))
        elif message["type"] == "http.response.body":
            parts.append(bytes(message.get("body", b"")))

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": request.scheme,
        "path": request.path,
        "raw_path": request.rel_url.raw_path.encode("utf-8", "surrogateescape"),
        "query_string": request.rel_url.raw_query_string.encode("utf-8", "surrogateescape"),
        "root_path": "",
        "headers": [(name.lower(), value) for name, value in request.raw_headers],
        "client": (request.remote or "", 0),
        "server": None,
    }
    await application(scope, receive, send)
    return web.Response(status=status, body=b"".join(parts), headers=headers)
