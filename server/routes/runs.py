"""The runs that this server offers, and the request to index one."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from aiohttp import hdrs, web

from tilescope.server.caching import JSON, REVALIDATE, revalidated
from tilescope.server.json_text import json_body
from tilescope.server.keys import REGISTRY
from tilescope.server.paths import API, RUN
from tilescope.server.runs.run import RunState, RunStatus

routes = web.RouteTableDef()


@routes.get(API + "/runs")
async def list_runs(request: web.Request) -> web.Response:
    """All runs, newest first."""
    runs = await request.app[REGISTRY].list_runs()
    return revalidated(request, json_body({"runs": [run_json(status) for status in runs]}), JSON)


@routes.post(RUN + "/index")
async def index_run(request: web.Request) -> web.Response:
    """Has a run indexed before those that wait."""
    registry = request.app[REGISTRY]
    status = registry.request_index(await registry.find(request.match_info["run"]))
    return web.Response(
        status=HTTPStatus.OK if status.state is RunState.READY else HTTPStatus.ACCEPTED,
        body=json_body(run_json(status)),
        headers={hdrs.CONTENT_TYPE: JSON, hdrs.CACHE_CONTROL: REVALIDATE},
    )


def run_json(status: RunStatus) -> dict[str, Any]:
    """One element of the list, as docs/api.md shows it."""
    run = status.found
    return {
        "id": run.id,
        "name": run.name,
        "path": run.path,
        "state": status.state,
        "error": status.error,
        "hosts": list(run.hosts),
        "files": run.file_count,
        "size_bytes": str(run.size_bytes),
        "modified_ns": str(run.modified_ns),
        "build": status.build,
        "progress": None if status.progress is None else status.progress.to_json(),
        "notes": list(run.notes),
    }
