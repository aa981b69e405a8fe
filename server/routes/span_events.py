"""The events of a span, as columns."""

from __future__ import annotations

from aiohttp import web

from tilescope.server.http.caching import JSON
from tilescope.server.keys import QUESTIONS
from tilescope.server.paths import BUILD
from tilescope.server.routes.answers import answer_with, question_values
from tilescope.server.services.compressed_json import events_member
from tilescope.server.services.requests import EventsQuestion
from tilescope.server.services.tools import digest
from tilescope.tiler.tools import from_text, to_json

routes = web.RouteTableDef()


@routes.get(BUILD + "/events")
async def get_events(request: web.Request) -> web.StreamResponse:
    """The events of a span, as columns."""
    question = from_text(EventsQuestion, question_values(request))
    questions = request.app[QUESTIONS]
    return await answer_with(
        request,
        f"events-{digest(to_json(question))}",
        lambda asking, run, build: questions.events(asking, run, build, question, question.limit, events_member),
        JSON,
    )
