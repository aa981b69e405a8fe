"""Traces that a browser sends: whether it may, one that is begun, its pieces, and its place in the list."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

from aiohttp import hdrs, web

from tilescope.server.errors import BadRequest, Forbidden
from tilescope.server.guard.own_pages import check_json, check_own_page
from tilescope.server.guard.start_secret import has_secret
from tilescope.server.http.bodies import body_steps, decoded_body
from tilescope.server.http.caching import JSON, UNKEPT, unkept
from tilescope.server.json_text import json_body
from tilescope.server.keys import ADDRESSES, SETTINGS, UPLOADS
from tilescope.server.paths import API, NUMBER, number
from tilescope.tiler.schema import UPLOAD_PIECE_BYTES, UploadOrder

routes = web.RouteTableDef()

_ALL: Final = API + "/uploads"
_ONE: Final = _ALL + "/{upload}"
_STRANGER: Final = (
    "only the browser that was opened by tilescope view may open files here: "
    "go to the address that it has printed, or start it again"
)


@routes.get(_ALL)
async def get_uploads(request: web.Request) -> web.Response:
    """Rules for this browser."""
    opened = request.app.get(ADDRESSES)
    prefixes = [] if opened is None else opened.prefixes
    return unkept(json_body(request.app[UPLOADS].room(_reason_against(request), prefixes)), JSON)


@routes.post(_ALL)
async def begin_upload(request: web.Request) -> web.Response:
    """Begins an upload."""
    _check(request)
    check_json(request)
    order = await decoded_body(request, UploadOrder, "the order of an upload makes no sense")
    upload = await request.app[UPLOADS].begin(order, request.remote or "")
    headers = {hdrs.CONTENT_TYPE: JSON, hdrs.CACHE_CONTROL: UNKEPT}
    return web.Response(status=HTTPStatus.CREATED, body=json_body(upload), headers=headers)


@routes.get(_ONE)
async def get_upload(request: web.Request) -> web.Response:
    """State of an upload: where to go on."""
    _check(request)
    return unkept(json_body(request.app[UPLOADS].state(request.match_info["upload"])), JSON)


@routes.put(_ONE + f"/files/{{number:{NUMBER}}}/{{start:{NUMBER}}}")
async def put_piece(request: web.Request) -> web.Response:
    """Takes bytes of a file, from a place on."""
    _check(request)
    uploads, upload_id = request.app[UPLOADS], request.match_info["upload"]
    if request.content_type != "application/octet-stream":
        raise BadRequest("send bytes, with Content-Type: application/octet-stream")
    file, start = number(request, "number"), number(request, "start")
    steps = body_steps(request, min(UPLOAD_PIECE_BYTES, uploads.lacking_bytes(upload_id, file)))
    return unkept(json_body(await uploads.take(upload_id, file, start, steps)), JSON)


@routes.post(_ONE + "/runs")
async def list_upload(request: web.Request) -> web.Response:
    """Puts the runs of an upload that is whole in the list, and has them indexed."""
    _check(request)
    check_json(request)
    return unkept(json_body(await request.app[UPLOADS].list_runs(request.match_info["upload"])), JSON)


@routes.delete(_ONE)
async def remove_upload(request: web.Request) -> web.Response:
    """Removes an upload."""
    _check(request)
    await request.app[UPLOADS].remove(request.match_info["upload"])
    return web.Response(status=HTTPStatus.NO_CONTENT, headers={hdrs.CACHE_CONTROL: UNKEPT})


def _check(request: web.Request) -> None:
    """Raises `Forbidden` for who may not send."""
    check_own_page(request, "uploads")
    reason = _reason_against(request)
    if reason is not None:
        raise Forbidden(reason)


def _reason_against(request: web.Request) -> str | None:
    rules = request.app[UPLOADS].rules
    if not rules.is_allowed:
        return rules.reason
    return None if has_secret(request, request.app[SETTINGS].start) else _STRANGER
