"""Departures and arrivals of flows in a track, summed up in bins."""

from __future__ import annotations

from aiohttp import web

from tilescope.server.http.caching import BINARY
from tilescope.server.paths import BUILD, NUMBER, number
from tilescope.server.routes.resource import store_of, stored_member

routes = web.RouteTableDef()


@routes.get(BUILD + f"/flows/{{track:{NUMBER}}}/{{level:{NUMBER}}}/{{index:{NUMBER}}}")
async def get_flow_tiles(request: web.Request) -> web.Response:
    """The chunk of flow tiles that has this one, if there is such a tile."""
    store = await store_of(request)
    track, level, index = (number(request, part) for part in ("track", "level", "index"))
    return stored_member(
        request, store, store.flow_tiles(track, level, index), f"flows-{track}.{level}.{index}", BINARY
    )
