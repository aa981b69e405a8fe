"""Counters of the server, for Prometheus."""

from __future__ import annotations

from aiohttp import hdrs, web

from tilescope.server.keys import METRICS
from tilescope.server.metrics import CONTENT_TYPE

routes = web.RouteTableDef()


@routes.get("/metrics")
async def get_metrics(request: web.Request) -> web.Response:
    """All counters as they are now."""
    headers = {hdrs.CONTENT_TYPE: CONTENT_TYPE, hdrs.CACHE_CONTROL: "no-store"}
    return web.Response(body=request.app[METRICS].text(), headers=headers)
