"""The WebSocket on which a client follows a run while it is indexed."""

from __future__ import annotations

from functools import partial

from aiohttp import web

from tilescope.server.http.sockets import serve_socket
from tilescope.server.keys import REGISTRY, WATCHES
from tilescope.server.paths import RUN
from tilescope.server.routes.failures import report_failure
from tilescope.server.watch.connection import WatchConnection
from tilescope.server.watch.messages import MAX_MESSAGE_BYTES

routes = web.RouteTableDef()


@routes.get(RUN + "/watch", allow_head=False)
async def watch(request: web.Request) -> web.StreamResponse:
    """Tells how far the run is until the client or the server closes."""
    registry = request.app[REGISTRY]
    run = await registry.find_listed(request.match_info["run"])
    return await serve_socket(
        request,
        MAX_MESSAGE_BYTES,
        request.app[WATCHES],
        lambda socket, transport: WatchConnection(socket, transport, registry, run.id),
        partial(report_failure, request),
    )
