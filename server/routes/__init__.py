"""All routes, one module per resource, in the order in which they are tried."""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus

from aiohttp import hdrs, web

from tilescope.server.routes import (
    addresses,
    attachments,
    batch,
    captures,
    events,
    export,
    flows,
    health,
    manifest,
    marks,
    metrics,
    names,
    openapi,
    overview,
    pages,
    runs,
    shapes,
    span_events,
    sql,
    stream,
    tools,
    tracks,
    uploads,
    viewer,
    watch,
)

ALL_ROUTES: tuple[web.RouteTableDef, ...] = (
    health.routes,
    metrics.routes,
    openapi.routes,
    runs.routes,
    captures.routes,
    addresses.routes,
    uploads.routes,
    manifest.routes,
    tracks.routes,
    names.routes,
    shapes.routes,
    pages.routes,
    batch.routes,
    events.routes,
    span_events.routes,
    export.routes,
    tools.routes,
    sql.routes,
    overview.routes,
    attachments.routes,
    marks.routes,
    flows.routes,
    stream.routes,
    watch.routes,
    viewer.routes,
)

__all__ = ["ALL_ROUTES", "routes_below"]


def routes_below(base_path: str) -> Iterator[web.RouteDef]:
    """All routes with a prefix before their paths, and the way from the bare prefix to the viewer."""
    for table in ALL_ROUTES:
        for route in table:
            assert isinstance(route, web.RouteDef)
            yield web.RouteDef(route.method, base_path + route.path, route.handler, route.kwargs)
    if base_path:
        yield web.get(base_path, _add_slash)


async def _add_slash(request: web.Request) -> web.Response:
    # Relative, so that it is right behind a proxy too: without the slash, the page would look for its parts elsewhere.
    location = "./" + request.rel_url.raw_path.rpartition("/")[2] + "/"
    query = request.rel_url.raw_query_string
    headers = {hdrs.LOCATION: f"{location}?{query}" if query else location}
    return web.Response(status=HTTPStatus.PERMANENT_REDIRECT, headers=headers)
