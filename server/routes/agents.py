"""The Model Context Protocol, for agents, where the server was started with `--mcp`."""

from __future__ import annotations

from aiohttp import web

from tilescope.server.errors import NotFound
from tilescope.server.keys import AGENTS, SETTINGS

routes = web.RouteTableDef()


@routes.post("/mcp")
async def post_message(request: web.Request) -> web.Response:
    """One message of the protocol, and its answer."""
    if AGENTS not in request.app:
        raise NotFound("this server answers no agents: start it with tilescope serve --mcp")
    base_path = request.app[SETTINGS].base_path
    return await request.app[AGENTS].answer(request, f"{request.scheme}://{request.host}{base_path}/")
