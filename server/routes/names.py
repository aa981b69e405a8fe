"""The names of a build, 1,024 a page."""

from __future__ import annotations

from aiohttp import web

from tilescope.server.http.caching import JSON
from tilescope.server.paths import BUILD, NUMBER, number
from tilescope.server.routes.resource import store_of, stored_member
from tilescope.server.runs.store_reads import read_from
from tilescope.tiler.records.names import NAMES

routes = web.RouteTableDef()


@routes.get(BUILD + f"/names/{{page:{NUMBER}}}")
async def get_names(request: web.Request) -> web.Response:
    """`[[name, category], …]` by name id."""
    store = await store_of(request)
    page = number(request, "page")
    body = await read_from(store, lambda: store.get(NAMES, page))
    return await stored_member(request, store, body, f"names-{page}", JSON)
