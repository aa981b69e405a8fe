"""The WebSocket on which a viewer gets its pages."""

from __future__ import annotations

import asyncio
from functools import partial

from aiohttp import web

from tilescope.server.errors import BadRequest
from tilescope.server.keys import CONNECTIONS, METRICS, QUESTIONS, REGISTRY
from tilescope.server.paths import BUILD
from tilescope.server.stream.connection import Connection, new_socket
from tilescope.server.stream.views import pages_of_view

routes = web.RouteTableDef()


@routes.get(BUILD + "/stream", allow_head=False)
async def stream(request: web.Request) -> web.StreamResponse:
    """Serves want-lists until the client or the server closes."""
    registry = request.app[REGISTRY]
    run = await registry.find(request.match_info["run"])
    with registry.lease(run.id, request.match_info["build"]) as store:
        socket = new_socket()
        if not socket.can_prepare(request):
            raise BadRequest("this is a WebSocket: ask for an upgrade")
        await socket.prepare(request)
        if request.transport is None:  # gone before the first word
            return socket
        resolve = partial(pages_of_view, request.app[QUESTIONS], store)
        connection = Connection(socket, request.transport, store, resolve, request.app[METRICS].page_meter("stream"))
        connections = request.app[CONNECTIONS]
        connections.add(connection)
        try:
            await connection.run()
        finally:
            connections.discard(connection)
    return socket


async def close_streams(app: web.Application) -> None:
    """Signal `on_shutdown`: tells all clients that the server goes away."""
    await asyncio.gather(*(connection.close() for connection in app[CONNECTIONS]))
