"""The description of the API, for programs."""

from __future__ import annotations

from functools import cache

from aiohttp import web

from tilescope.server.http.caching import JSON, revalidated
from tilescope.server.json_text import json_body
from tilescope.server.keys import SETTINGS
from tilescope.server.openapi import describe_api
from tilescope.server.paths import API

routes = web.RouteTableDef()


@routes.get(API + "/openapi.json")
async def get_openapi(request: web.Request) -> web.Response:
    """OpenAPI 3.1."""
    return await revalidated(request, _document(request.app[SETTINGS].base_path), JSON)


@cache
def _document(base_path: str) -> bytes:
    return json_body(describe_api(base_path))
