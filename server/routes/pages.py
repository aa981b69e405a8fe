"""Pages of a build, one by one. Viewers use the stream; this is for proxies, notebooks and the curious."""

from __future__ import annotations

from typing import Final

from aiohttp import web

from tilescope.server.http.caching import BINARY
from tilescope.server.paths import BUILD, NUMBER, number
from tilescope.server.routes.resource import store_of, stored_member
from tilescope.server.runs.store_reads import read_from
from tilescope.tiler.lookup.tiles import stored_page
from tilescope.tiler.pages import PageKey, Part

routes = web.RouteTableDef()


_FIELDS: Final = ("block", "level", "index", "slot")
_FIRST_TILE: Final = "/".join(f"{{{field}:{NUMBER}}}" for field in _FIELDS)


@routes.get(f"{BUILD}/pages/{_FIRST_TILE}")
async def get_page(request: web.Request) -> web.Response:
    """One page, named by its first tile."""
    return await _part(request, Part.PAGE)


@routes.get(f"{BUILD}/residuals/{_FIRST_TILE}")
async def get_residual(request: web.Request) -> web.Response:
    """The residual of a page: what was rounded off its bins."""
    return await _part(request, Part.RESIDUAL)


async def _part(request: web.Request, part: Part) -> web.Response:
    store = await store_of(request)
    block, level, index, slot = (number(request, field) for field in _FIELDS)
    key = PageKey(block, level, index, slot, part)
    body = await read_from(store, lambda: stored_page(store, key))
    return await stored_member(request, store, body, key.text(), BINARY, block=key.block)
