"""Common ground of all routes that answer questions, which take more than looking something up."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

from aiohttp import hdrs, web

from tilescope.server.errors import BadRequest
from tilescope.server.http.caching import computed, computed_if_kept, unkept_member
from tilescope.server.keys import QUESTIONS
from tilescope.server.routes.resource import named_store, store_of
from tilescope.server.services import Asker
from tilescope.server.services.tools import BuildName
from tilescope.server.services.workers import Asking
from tilescope.tiler.tools import edition


async def answer_with(
    request: web.Request,
    name: str,
    ask: Callable[[Asking, str, str], Awaitable[bytes]],
    media: str,
    others: Sequence[BuildName] = (),
) -> web.StreamResponse:
    """The answer that `ask` gives for the run and the build of the path, under a `name` that tells what was asked.

    Nothing is asked when the client has the answer already: it may be kept when neither the build nor the `others` that
    the question names are growing, and is good for as long as the same software, with the same rules of what is work,
    would give it. The question has its place until the answer is taken.
    """
    stores = [await store_of(request), *[await named_store(request, *other) for other in others]]
    is_final = not any(store.is_growing for store in stores)  # now: it may be published while we answer of a part
    questions = request.app[QUESTIONS]
    etag = "-".join(filter(None, (stores[0].build, name, edition(), questions.work_rules.tag)))
    kept = computed_if_kept(request, etag, gzip=True) if is_final else None
    if kept is not None:
        return kept
    with questions.asking(Asker(request.remote or "", request.protocol)) as asking:
        body = await ask(asking, request.match_info["run"], request.match_info["build"])
        if is_final:
            answer = await computed(request, body, etag, media, gzip=True)
        else:
            answer = await unkept_member(request, body, media)
        answer.headers[hdrs.VARY] = f"{hdrs.ACCEPT}, {hdrs.ACCEPT_ENCODING}"
        with suppress(ConnectionError):  # the client has gone
            await answer.prepare(request)
            await answer.write_eof()
    return answer


def question_values(request: web.Request) -> dict[str, str]:
    """The parameters of the query. Raises `BadRequest` for one that stands there twice."""
    values = dict(request.query)
    for name in values:
        if len(request.query.getall(name)) > 1:
            raise BadRequest(f"{name} occurs twice in the query")
    return values
