"""The WebSocket on which a client follows a run while it is indexed."""

from __future__ import annotations

import asyncio

from aiohttp import web

from tilescope.server.keys import REGISTRY, WATCHES
from tilescope.server.paths import RUN
from tilescope.server.sockets import open_socket
from tilescope.server.watch.connection import WatchConnection
from tilescope.server.watch.messages import MAX_MESSAGE_BYTES

routes = web.RouteTableDef()


@routes.get(RUN + "/watch", allow_head=False)
async def watch(request: web.Request) -> web.StreamResponse:
    """Tells how far the run is until the client or the server closes."""
    registry = request.app[REGISTRY]
    run = await registry.find(request.match_info["run"])
    socket, transport = await open_socket(request, MAX_MESSAGE_BYTES)
    if transport is None:
        return socket
    connection = WatchConnection(socket, transport, registry, run.id)
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
