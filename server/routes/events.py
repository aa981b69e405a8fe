"""Single events of a build, with all their arguments."""

from __future__ import annotations

from aiohttp import web

from tilescope.server.http.caching import JSON
from tilescope.server.json_text import json_body
from tilescope.server.paths import BUILD, NUMBER, number
from tilescope.server.routes.resource import store_of, stored_member
from tilescope.server.runs.store_reads import read_from
from tilescope.tiler.lookup.events import event_details
from tilescope.tiler.pages import TRACKS_PER_BLOCK

routes = web.RouteTableDef()


@routes.get(BUILD + f"/events/{{track:{NUMBER}}}/{{ordinal:{NUMBER}}}")
async def get_event(request: web.Request) -> web.Response:
    """The event of that ordinal on the track."""
    store = await store_of(request)
    track, ordinal = number(request, "track"), number(request, "ordinal")
    details = await read_from(store, lambda: event_details(store, track, ordinal))
    body = None if details is None else json_body(details)
    return await stored_member(
        request, store, body, f"events-{track}.{ordinal}", JSON, gzip=False, block=track // TRACKS_PER_BLOCK
    )
