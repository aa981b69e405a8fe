"""Pages of a build, one by one. Viewers use the stream; this is for proxies, notebooks and the curious."""

from __future__ import annotations

from aiohttp import web

from tilescope.server.caching import BINARY
from tilescope.server.paths import BUILD, NUMBER, number
from tilescope.server.routes.resource import store_of, stored_member
from tilescope.tiler.pages import PageKey

routes = web.RouteTableDef()


@routes.get(BUILD + "/pages/" + "/".join(f"{{{part}:{NUMBER}}}" for part in PageKey._fields))
async def get_page(request: web.Request) -> web.Response:
    """One page, named by its first tile."""
    store = await store_of(request)
    key = PageKey(*(number(request, part) for part in PageKey._fields))
    return stored_member(request, store, store.page(key), "pages-" + ".".join(map(str, key)), BINARY, block=key.block)
