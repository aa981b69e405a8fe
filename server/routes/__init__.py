"""All routes, one module per resource, in the order in which they are tried."""

from __future__ import annotations

from aiohttp import web

from tilescope.server.routes import (
    batch,
    events,
    health,
    manifest,
    names,
    openapi,
    pages,
    questions,
    runs,
    shapes,
    stream,
    tracks,
    viewer,
)

ALL_ROUTES: tuple[web.RouteTableDef, ...] = (
    health.routes,
    openapi.routes,
    runs.routes,
    manifest.routes,
    tracks.routes,
    names.routes,
    shapes.routes,
    pages.routes,
    batch.routes,
    events.routes,
    questions.routes,
    stream.routes,
    viewer.routes,
)

__all__ = ["ALL_ROUTES"]
