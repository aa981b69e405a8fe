"""Tools: which there are, and what they answer."""

from __future__ import annotations

from functools import partial

from aiohttp import hdrs, web

from tilescope.server.caching import JSON
from tilescope.server.keys import QUESTIONS
from tilescope.server.paths import BUILD
from tilescope.server.routes.asking import answer_with, question_values
from tilescope.server.services.tools import (
    ARROW,
    ToolListTask,
    ToolTask,
    arrow_answer,
    check_arrow,
    find_tool,
    json_answer,
    json_list,
    question_name,
)
from tilescope.server.services.worker import Task
from tilescope.tiler.tools import from_text

routes = web.RouteTableDef()


@routes.get(BUILD + "/tools")
async def get_tools(request: web.Request) -> web.StreamResponse:
    """All tools, and which of them have an answer for this run."""
    return await _answer(request, "tools", ToolListTask(json_list), JSON)


@routes.get(BUILD + "/tools/{tool}")
async def get_answer(request: web.Request) -> web.StreamResponse:
    """What a tool answers."""
    tool = find_tool(request.match_info["tool"])
    values = question_values(request)
    table = values.pop("table", "")
    question = from_text(tool.question, values)
    if request.headers.get(hdrs.ACCEPT, "").partition(";")[0].strip() == ARROW:
        check_arrow()
        encode, media = arrow_answer, ARROW
    else:
        encode, media = json_answer, JSON
    name = question_name(tool, question, table, media)
    return await _answer(request, name, ToolTask(tool.id, question, partial(encode, table)), media)


async def _answer(request: web.Request, name: str, task: Task, media: str) -> web.StreamResponse:
    questions = request.app[QUESTIONS]
    return await answer_with(
        request, name, lambda asking, run, build: questions.ask(asking, run, build, name, task), media
    )
