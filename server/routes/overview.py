"""The overview of a build: all tracks at one glance."""

from __future__ import annotations

from aiohttp import web

from tilescope.server.http.caching import BINARY
from tilescope.server.paths import BUILD, NUMBER, number
from tilescope.server.routes.resource import store_of, stored_member
from tilescope.server.runs.store_reads import read_from
from tilescope.tiler.records.overview import OVERVIEW

routes = web.RouteTableDef()


@routes.get(BUILD + f"/overview/{{page:{NUMBER}}}")
async def get_overview(request: web.Request) -> web.Response:
    """One page of bins of all tracks."""
    store = await store_of(request)
    page = number(request, "page")
    body = await read_from(store, lambda: store.get(OVERVIEW, page))
    return await stored_member(request, store, body, f"overview-{page}", BINARY)
