"""Manifest of a run: the one answer below a run that may change."""

from __future__ import annotations

from aiohttp import web

from tilescope.server.http.caching import JSON, revalidated
from tilescope.server.json_text import json_body
from tilescope.server.keys import REGISTRY
from tilescope.server.paths import RUN
from tilescope.server.runs.run import FoundRun
from tilescope.server.runs.run_manifest import run_manifest
from tilescope.tiler.store.store import Store

routes = web.RouteTableDef()


@routes.get(RUN + "/manifest")
async def get_manifest(request: web.Request) -> web.Response:
    """The manifest of the published build, or of one that grows."""
    registry = request.app[REGISTRY]
    run = await registry.find(request.match_info["run"])
    return await revalidated(request, manifest_body(run, registry.current_store(run)), JSON)


def manifest_body(run: FoundRun, store: Store) -> bytes:
    """The manifest as it is sent."""
    return json_body(run_manifest(run, store))
