"""Departures and arrivals of flows in a track, summed up in bins."""

from __future__ import annotations

from aiohttp import web

from tilescope.server.http.caching import BINARY
from tilescope.server.paths import BUILD, NUMBER, number
from tilescope.server.routes.resource import store_of, stored_member
from tilescope.server.runs.store_reads import read_from
from tilescope.tiler.records.flow_bins import FLOW_TILES

routes = web.RouteTableDef()


@routes.get(BUILD + f"/flows/{{track:{NUMBER}}}/{{level:{NUMBER}}}/{{index:{NUMBER}}}")
async def get_flow_tiles(request: web.Request) -> web.Response:
    """The chunk of flow tiles that has this one, if there is such a tile."""
    store = await store_of(request)
    track, level, index = (number(request, part) for part in ("track", "level", "index"))
    chunk = await read_from(store, lambda: store.at_most(FLOW_TILES, track, level, index))
    body = None if chunk is None else chunk[1]
    return await stored_member(request, store, body, f"flows-{track}.{level}.{index}", BINARY)
