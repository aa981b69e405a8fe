"""Shape records of a build: which tiles a block has."""

from __future__ import annotations

from aiohttp import web

from tilescope.server.http.caching import BINARY
from tilescope.server.paths import BUILD, NUMBER, number
from tilescope.server.routes.resource import store_of, stored_member
from tilescope.server.runs.store_reads import read_from
from tilescope.tiler.records.tiles import SHAPE

routes = web.RouteTableDef()


@routes.get(BUILD + f"/shapes/{{block:{NUMBER}}}")
async def get_shape(request: web.Request) -> web.Response:
    """The shape record of one block of 32 tracks."""
    store = await store_of(request)
    block = number(request, "block")
    body = await read_from(store, lambda: store.get(SHAPE, block))
    return await stored_member(request, store, body, f"shapes-{block}", BINARY, block=block)
