"""What all routes have in common that take more than looking something up."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from aiohttp import hdrs, web

from tilescope.server.errors import BadRequest
from tilescope.server.keys import QUESTIONS
from tilescope.server.routes.resource import kept_member, store_of, stored_member
from tilescope.server.services import Asker
from tilescope.server.services.workers import Asking


async def answer_with(
    request: web.Request, name: str, ask: Callable[[Asking, str, str], Awaitable[bytes]], media: str
) -> web.StreamResponse:
    """The answer that `ask` gives for the run and the build of the path, under a `name` that tells what was asked.

    Nothing is asked when the client has the answer already. The question has its place until the answer is taken.
    """
    kept = kept_member(request, await store_of(request), name)
    if kept is not None:
        return kept
    with request.app[QUESTIONS].asking(Asker(request.remote or "", request.protocol)) as asking:
        body = await ask(asking, request.match_info["run"], request.match_info["build"])
        answer = stored_member(request, await store_of(request), body, name, media)
        answer.headers[hdrs.VARY] = hdrs.ACCEPT
        await answer.prepare(request)
        await answer.write_eof()
    return answer


def question_values(request: web.Request) -> dict[str, str]:
    """The parameters of the query. Raises `BadRequest` for one that stands there twice."""
    values = dict(request.query)
    for name in values:
        if len(request.query.getall(name)) > 1:
            raise BadRequest(f"{name} stands in the query twice")
    return values
