"""The marks of a run, in the ticks of a build."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Final

from aiohttp import hdrs, web

from tilescope.server.errors import Forbidden, PreconditionFailed, PreconditionRequired
from tilescope.server.http.bodies import decoded_body
from tilescope.server.http.caching import JSON, REVALIDATE, computed
from tilescope.server.json_text import json_body
from tilescope.server.keys import MARKS, REGISTRY, SETTINGS
from tilescope.server.paths import BUILD
from tilescope.server.routes.resource import store_of
from tilescope.server.runs.lasting_tracks import LastingTracks
from tilescope.server.runs.marks import BuildPlaces
from tilescope.tiler.lookup.manifest import run_manifest
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.schema import MAX_MARKS_BYTES, KeptMarks, MarkList
from tilescope.tiler.store.store import need

routes = web.RouteTableDef()

_ANY: Final = "*"


@routes.get(BUILD + "/marks")
async def get_marks(request: web.Request) -> web.Response:
    """The marks, and whether they may be changed."""
    run_id, places = await _run_and_places(request)
    now = await asyncio.to_thread(request.app[MARKS].read, run_id, places)
    body = json_body(KeptMarks(marks=now.marks, writable=request.app[SETTINGS].allow_notes))
    return await computed(request, body, now.etag, JSON, gzip=False)


@routes.put(BUILD + "/marks")
async def put_marks(request: web.Request) -> web.Response:
    """Keeps others, if they are still those that the client knows (`If-Match`)."""
    if not request.app[SETTINGS].allow_notes:
        raise Forbidden("this server keeps no marks: start it with --allow-notes")
    run_id, places = await _run_and_places(request)
    sent = request.clone(client_max_size=MAX_MARKS_BYTES)
    marks = await decoded_body(sent, MarkList, "the marks make no sense")
    etag = await asyncio.to_thread(request.app[MARKS].write, run_id, marks, places, _expected(request))
    headers = {hdrs.CONTENT_TYPE: JSON, hdrs.CACHE_CONTROL: REVALIDATE, hdrs.ETAG: f'"{etag}"'}
    return web.Response(body=json_body(KeptMarks(marks=marks.marks, writable=True)), headers=headers)


def _expected(request: web.Request) -> str:
    if hdrs.IF_MATCH not in request.headers:
        raise PreconditionRequired("If-Match must have the ETag of the marks that are replaced: read them first")
    tags = request.if_match or ()
    if len(tags) != 1 or tags[0].is_weak or tags[0].value == _ANY:
        raise PreconditionFailed("If-Match must have the ETag of the marks that are replaced")
    return tags[0].value


async def _run_and_places(request: web.Request) -> tuple[str, BuildPlaces]:
    store = await store_of(request)
    run = await request.app[REGISTRY].find(request.match_info["run"])
    manifest = run_manifest(store)
    return run.id, BuildPlaces(manifest.tick_ps, manifest.origin_ns, LastingTracks(partial(need, store, TRACKS)))
