"""SQL over the tables of a build: whether it may be asked, and rows of a statement."""

from __future__ import annotations

from typing import Final

from aiohttp import web

from tilescope.server.errors import Forbidden
from tilescope.server.guard.own_pages import check_json, check_own_page
from tilescope.server.guard.start_secret import has_secret
from tilescope.server.http.bodies import decoded_body
from tilescope.server.http.caching import JSON, unkept
from tilescope.server.json_text import json_body
from tilescope.server.keys import SETTINGS, STATEMENTS
from tilescope.server.paths import BUILD
from tilescope.server.services.sql_text import sql_room, sql_rows
from tilescope.tiler.schema import SqlOrder

routes = web.RouteTableDef()

_STRANGER: Final = (
    "only the browser that was opened by tilescope view may run SQL here: "
    "go to the address that it has printed, or start it again"
)


@routes.get(BUILD + "/sql")
async def get_sql(request: web.Request) -> web.Response:
    """Rules for this client, and the tables. Whoever looks is about to ask."""
    reason = _reason_against(request)
    if reason is None:
        request.app[STATEMENTS].prepare()
    return unkept(json_body(sql_room(reason)), JSON)


@routes.post(BUILD + "/sql")
async def run_sql(request: web.Request) -> web.Response:
    """The rows of one statement. A client that goes away ends it."""
    check_own_page(request, "statements")
    reason = _reason_against(request)
    if reason is not None:
        raise Forbidden(reason)
    check_json(request)
    order = await decoded_body(request, SqlOrder, "the order of a statement makes no sense")
    run, build = request.match_info["run"], request.match_info["build"]
    answer = await request.app[STATEMENTS].answer(request.remote or "", run, build, order.statement, order.rows)
    return unkept(json_body(sql_rows(answer)), JSON)


def _reason_against(request: web.Request) -> str | None:
    settings = request.app[SETTINGS]
    if not settings.sql.is_allowed:
        return settings.sql.reason
    return None if has_secret(request, settings.start) else _STRANGER
