"""The WebSocket on which a viewer gets its pages."""

from __future__ import annotations

from functools import partial

from aiohttp import web

from tilescope.server.http.sockets import serve_socket
from tilescope.server.keys import CONNECTIONS, METRICS, QUESTIONS, REGISTRY
from tilescope.server.paths import BUILD
from tilescope.server.routes.failures import report_failure
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
        resolve = partial(pages_of_view, request.app[QUESTIONS], store)
        meter = request.app[METRICS].page_meter("stream")
        return await serve_socket(
            request,
            MAX_MESSAGE_BYTES,
            request.app[CONNECTIONS],
            lambda socket, transport: Connection(socket, transport, store, resolve, meter),
            partial(report_failure, request),
        )
