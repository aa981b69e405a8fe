"""The WebSocket on which a client follows a run while it is indexed."""

from __future__ import annotations

import asyncio

from aiohttp import web

from tilescope.server.errors import BadRequest
from tilescope.server.keys import REGISTRY, WATCHES
from tilescope.server.paths import RUN
from tilescope.server.watch.connection import WatchConnection, new_socket

routes = web.RouteTableDef()


@routes.get(RUN + "/watch", allow_head=False)
async def watch(request: web.Request) -> web.StreamResponse:
    """Tells how far the run is until the client or the server closes."""
    registry = request.app[REGISTRY]
    run = await registry.find(request.match_info["run"])
    socket = new_socket()
    if not socket.can_prepare(request):
        raise BadRequest("this is a WebSocket: ask for an upgrade")
    await socket.prepare(request)
    if request.transport is None:  # gone before the first word
        return socket
    connection = WatchConnection(socket, request.transport, registry, run.id)
    watches = request.app[WATCHES]
    watches.add(connection)
    try:
        await connection.run()
    finally:
        watches.discard(connection)
    return socket


async def close_watches(app: web.Application) -> None:
    """Signal `on_shutdown`: tells all clients that the server goes away."""
    await asyncio.gather(*(connection.close() for connection in app[WATCHES]))
