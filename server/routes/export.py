"""The events of a span as a file that other viewers open."""

from __future__ import annotations

import re
from contextlib import aclosing
from typing import Final

from aiohttp import hdrs, web

from tilescope.server.http.caching import JSON
from tilescope.server.http.content_coding import GZIP, takes_gzip
from tilescope.server.keys import QUESTIONS, REGISTRY
from tilescope.server.paths import BUILD
from tilescope.server.routes.answers import question_values
from tilescope.server.services import Asker
from tilescope.tiler.export import ExportQuestion
from tilescope.tiler.tools import from_text

routes = web.RouteTableDef()

_NOT_IN_A_FILE_NAME: Final = re.compile(r"[^A-Za-z0-9._-]+")


@routes.get(BUILD + "/export")
async def get_export(request: web.Request) -> web.StreamResponse:
    """Trace-event JSON, piece by piece: it may be larger than memory. A client that goes away ends the work."""
    question = from_text(ExportQuestion, question_values(request))
    run = await request.app[REGISTRY].find(request.match_info["run"])
    name = _NOT_IN_A_FILE_NAME.sub("-", run.name).strip("-.") or "trace"
    headers = {
        hdrs.CONTENT_TYPE: JSON,
        hdrs.VARY: hdrs.ACCEPT_ENCODING,
        hdrs.CACHE_CONTROL: "no-store",
        hdrs.CONTENT_DISPOSITION: f'attachment; filename="{name}.trace.json"',
    }
    is_zipped = takes_gzip(request)
    if is_zipped:
        headers[hdrs.CONTENT_ENCODING] = GZIP
    questions = request.app[QUESTIONS]
    with questions.asking(Asker(request.remote or "", request.protocol)) as asking:
        pieces = questions.exported(asking, run.id, request.match_info["build"], question, is_zipped=is_zipped)
        async with aclosing(pieces):
            first = await anext(pieces)  # what goes wrong here is an error, not a broken body
            answer = web.StreamResponse(headers=headers)
            await answer.prepare(request)
            if request.method != hdrs.METH_HEAD:
                await answer.write(first)
                async for piece in pieces:
                    await answer.write(piece)
            await answer.write_eof()
    return answer
