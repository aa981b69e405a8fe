"""The WebSocket on which a viewer gets its pages."""

from __future__ import annotations

import asyncio
from functools import partial

from aiohttp import web

from tilescope.server.keys import CONNECTIONS, METRICS, QUESTIONS, REGISTRY
from tilescope.server.paths import BUILD
from tilescope.server.sockets import open_socket
from tilescope.server.stream.connection import Connection
from tilescope.server.stream.messages import MAX_MESSAGE_BYTES
from tilescope.server.stream.views import pages_of_view

routes = web.RouteTableDef()


@routes.get(BUILD + "/stream", allow_head=False)
async def stream(request: web.Request) -> web.StreamResponse:
    """Serves want-lists until the client or the server closes."""
    registry = request.app[REGISTRY]
    run = await registry.find(request.match_info["run"])
    with registry.lease(run.id, request.match_info["build"]) as store:
        socket, transport = await open_socket(request, MAX_MESSAGE_BYTES)
        if transport is None:
            return socket
        resolve = partial(pages_of_view, request.app[QUESTIONS], store)
        connection = Connection(socket, transport, store, resolve, request.app[METRICS].page_meter("stream"))
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
