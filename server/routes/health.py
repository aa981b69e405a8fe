"""Health check: answers while the server is alive."""

from __future__ import annotations

from aiohttp import hdrs, web

from tilescope import __version__
from tilescope.server.http.caching import JSON
from tilescope.server.json_text import json_body
from tilescope.tiler.schema import Health

routes = web.RouteTableDef()


@routes.get("/healthz")
async def get_health(_request: web.Request) -> web.Response:
    """Answers without looking at any run."""
    body = json_body(Health(status="ok", version=__version__))
    return web.Response(body=body, headers={hdrs.CONTENT_TYPE: JSON, hdrs.CACHE_CONTROL: "no-store"})
