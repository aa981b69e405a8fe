"""The runs that this server offers, and the request to index one."""

from __future__ import annotations

from http import HTTPStatus

from aiohttp import hdrs, web

from tilescope.server.http.caching import JSON, REVALIDATE, revalidated
from tilescope.server.json_text import json_body
from tilescope.server.keys import REGISTRY
from tilescope.server.paths import API, RUN
from tilescope.server.runs.run import RunState
from tilescope.tiler.schema import RunList

routes = web.RouteTableDef()


@routes.get(API + "/runs")
async def list_runs(request: web.Request) -> web.Response:
    """All runs, newest first."""
    runs = await request.app[REGISTRY].list_runs()
    return await revalidated(request, json_body(RunList(runs=[status.to_schema() for status in runs])), JSON)


@routes.post(RUN + "/index")
async def index_run(request: web.Request) -> web.Response:
    """Has a run indexed before those that wait."""
    registry = request.app[REGISTRY]
    status = await registry.index_again(request.match_info["run"])
    return web.Response(
        status=HTTPStatus.OK if status.state is RunState.READY else HTTPStatus.ACCEPTED,
        body=json_body(status.to_schema()),
        headers={hdrs.CONTENT_TYPE: JSON, hdrs.CACHE_CONTROL: REVALIDATE},
    )
