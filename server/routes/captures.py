"""Captures of running jobs: which are possible, one that is begun, how far it is, and its end."""

from __future__ import annotations

from functools import partial
from http import HTTPStatus

from aiohttp import hdrs, web

from tilescope.server.guard.own_pages import check_json, check_own_page
from tilescope.server.http.bodies import decoded_body
from tilescope.server.http.caching import JSON, UNKEPT, unkept
from tilescope.server.http.sockets import serve_socket
from tilescope.server.json_text import json_body
from tilescope.server.keys import CAPTURE_WATCHES, CAPTURES, MONITORS
from tilescope.server.paths import API
from tilescope.server.routes.failures import report_failure
from tilescope.server.watch.capture import MAX_WORDS_BYTES, CaptureConnection
from tilescope.server.watch.monitor import MonitorConnection
from tilescope.tiler.schema import CaptureOrder

routes = web.RouteTableDef()

_ALL = API + "/captures"
_ONE = _ALL + "/{capture}"


@routes.get(_ALL)
async def get_captures(request: web.Request) -> web.Response:
    """The hosts that can be captured, the running captures, and the last results."""
    return unkept(json_body(request.app[CAPTURES].room()), JSON)


@routes.post(_ALL)
async def begin_capture(request: web.Request) -> web.Response:
    """Begins a capture."""
    check_own_page(request)
    check_json(request)
    order = await decoded_body(request, CaptureOrder, "the order of a capture makes no sense")
    capture = request.app[CAPTURES].begin(order)
    headers = {hdrs.CONTENT_TYPE: JSON, hdrs.CACHE_CONTROL: UNKEPT}
    return web.Response(status=HTTPStatus.ACCEPTED, body=json_body(capture.to_schema()), headers=headers)


@routes.get(_ONE)
async def get_capture(request: web.Request) -> web.Response:
    """State of a capture, or its result."""
    return unkept(json_body(request.app[CAPTURES].find(request.match_info["capture"]).to_schema()), JSON)


@routes.delete(_ONE)
async def stop_capture(request: web.Request) -> web.Response:
    """Ends a capture early: what it has is kept."""
    check_own_page(request)
    capture = request.app[CAPTURES].find(request.match_info["capture"])
    capture.stop()
    return unkept(json_body(capture.to_schema()), JSON)


@routes.get(_ONE + "/watch", allow_head=False)
async def watch_capture(request: web.Request) -> web.StreamResponse:
    """Tells how far a capture is until it is over, or the client closes."""
    check_own_page(request)
    captures = request.app[CAPTURES]
    capture = captures.find(request.match_info["capture"])
    return await serve_socket(
        request,
        MAX_WORDS_BYTES,
        request.app[CAPTURE_WATCHES],
        lambda socket, transport: CaptureConnection(socket, transport, captures, capture.id),
        partial(report_failure, request),
    )


@routes.get(API + "/monitor/{host}", allow_head=False)
async def monitor_job(request: web.Request) -> web.StreamResponse:
    """Tells how a job does until the client closes."""
    check_own_page(request)
    captures, host = request.app[CAPTURES], request.match_info["host"]
    return await serve_socket(
        request,
        MAX_WORDS_BYTES,
        request.app[MONITORS],
        lambda socket, transport: MonitorConnection(socket, transport, captures, host),
        partial(report_failure, request),
    )
