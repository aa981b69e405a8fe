"""The track tree of a build."""

from __future__ import annotations

from aiohttp import web

from tilescope.server.http.caching import JSON
from tilescope.server.paths import BUILD
from tilescope.server.routes.resource import store_of, stored_member
from tilescope.server.runs.store_reads import read_from
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.store.store import need

routes = web.RouteTableDef()


@routes.get(BUILD + "/tracks")
async def get_tracks(request: web.Request) -> web.Response:
    """Groups and tracks, in screen order."""
    store = await store_of(request)
    return await stored_member(request, store, await read_from(store, lambda: need(store, TRACKS)), "tracks", JSON)
