"""The viewer's page and its assets. Registered last: it takes every path that nobody else wants."""

from __future__ import annotations

from html import escape
from http import HTTPStatus
from typing import Final

from aiohttp import hdrs, web

from tilescope.server.errors import NotFound
from tilescope.server.guard.refusal_page import is_for_people, refusal_page
from tilescope.server.guard.security import page_policy
from tilescope.server.http.caching import JSON, immutable, revalidated
from tilescope.server.http.content_coding import takes_gzip
from tilescope.server.http.viewer_files import ViewerFile, with_body
from tilescope.server.json_text import json_body
from tilescope.server.keys import REGISTRY, SETTINGS, VIEWER
from tilescope.server.routes.first_answers import with_first_answers

routes = web.RouteTableDef()

_SETTINGS: Final = "viewer.json"  # beside the page, as its files are: no part of the API


@routes.get("/{path:(?!api/).*}")  # below /api/, what has no such method is 405 and not 404
async def get_viewer_file(request: web.Request) -> web.Response:
    """One file of the built viewer."""
    path = request.match_info["path"]
    if path == _SETTINGS:
        return _viewer_settings(request)
    file = request.app[VIEWER].get(path)
    if file is None:
        if is_for_people(request, request.app[SETTINGS].base_path):
            return _no_page(path)
        raise NotFound(f"nothing was found at /{path}")
    if file.content_type.startswith("text/html"):
        file = with_body(file, await with_first_answers(file.body, request.app[REGISTRY], request.query.get("run")))
    response = await _answer(request, file)
    if file.content_type.startswith("text/html"):
        response.headers["Content-Security-Policy"] = page_policy(request.app[SETTINGS].allow_frames)
    if file.gzip_body is not None:
        response.headers[hdrs.VARY] = hdrs.ACCEPT_ENCODING
    return response


def _no_page(path: str) -> web.Response:
    """A page with the way to the list of runs: relative, as a proxy may have put something before all paths."""
    home = "../" * path.count("/") or "./"
    body = f'<p>The address may be cut or mistyped.</p>\n<p><a href="{home}">All runs of this server</a></p>'
    return refusal_page(HTTPStatus.NOT_FOUND, "no such page", f"There is no page <code>/{escape(path)}</code>", body)


def _viewer_settings(request: web.Request) -> web.Response:
    """Settings that the viewer asks for when it needs them: the address of Perfetto, null for none."""
    body = json_body({"perfetto_url": request.app[SETTINGS].perfetto_url})
    return web.Response(body=body, headers={hdrs.CONTENT_TYPE: JSON, hdrs.CACHE_CONTROL: "no-store"})


async def _answer(request: web.Request, file: ViewerFile) -> web.Response:
    zipped = file.gzip_body if takes_gzip(request) else None
    body = file.body if zipped is None else zipped
    if file.is_immutable:
        etag = file.etag if zipped is None else f"{file.etag}-gzip"
        return await immutable(request, body, etag, file.content_type, gzip=zipped is not None)
    return await revalidated(request, body, file.content_type, gzip=zipped is not None)
