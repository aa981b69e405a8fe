"""Attachments of a build, which the trace holds beside its events: the list, and the content of each."""

from __future__ import annotations

from http import HTTPStatus

from aiohttp import hdrs, web

from tilescope.server.http.caching import JSON, immutable_if_kept, immutable_part
from tilescope.server.keys import REGISTRY
from tilescope.server.paths import BUILD, NUMBER, number
from tilescope.server.routes.resource import store_of, stored_member
from tilescope.server.runs.store_reads import read_from
from tilescope.server.services.attachments import attachment_of
from tilescope.tiler.records.attachments import ATTACHMENTS
from tilescope.tiler.store.attachments import content

routes = web.RouteTableDef()


@routes.get(BUILD + "/attachments")
async def get_attachments(request: web.Request) -> web.Response:
    """The list."""
    store = await store_of(request)
    body = await read_from(store, lambda: store.get(ATTACHMENTS))
    return await stored_member(request, store, body, "attachments", JSON)


@routes.get(BUILD + f"/attachments/{{attachment:{NUMBER}}}")
async def get_attachment(request: web.Request) -> web.StreamResponse:
    """The content, or a part of it, chunk by chunk: it may be larger than memory."""
    registry = request.app[REGISTRY]
    run = await registry.find(request.match_info["run"])
    with registry.lease(run.id, request.match_info["build"]) as store:
        entry = await read_from(store, lambda: attachment_of(store, number(request, "attachment")))
        etag = f"{store.build}-attachment-{entry.id}"
        kept = immutable_if_kept(request, etag)
        if kept is not None:
            return kept
        answer, part = immutable_part(request, etag, entry.media_type, entry.size_bytes)
        if answer.status == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            return answer
        chunks = content(store, entry, part.start, part.end)
        has_body = request.method != hdrs.METH_HEAD
        piece = await read_from(store, lambda: next(chunks, b"")) if has_body else b""  # damage is an error of its own
        await answer.prepare(request)
        while piece:
            await answer.write(piece)
            piece = await read_from(store, lambda: next(chunks, b""))
        await answer.write_eof()
    return answer
