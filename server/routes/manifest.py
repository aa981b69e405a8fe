"""What a run holds: the one answer below a run that may change."""

from __future__ import annotations

from aiohttp import web

from tilescope.server.caching import JSON, json_body, revalidated
from tilescope.server.keys import REGISTRY
from tilescope.server.paths import RUN

routes = web.RouteTableDef()


@routes.get(RUN + "/manifest")
async def get_manifest(request: web.Request) -> web.Response:
    """The manifest of the published build."""
    registry = request.app[REGISTRY]
    run = await registry.find(request.match_info["run"])
    manifest = registry.current_store(run).manifest()
    return revalidated(request, json_body({"run": run.id, "name": run.name, **manifest}), JSON)
