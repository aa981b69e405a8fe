"""Tools: which there are, and what they answer."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from functools import partial

from aiohttp import hdrs, web

from tilescope.server.http.caching import JSON
from tilescope.server.keys import QUESTIONS
from tilescope.server.paths import BUILD
from tilescope.server.routes.answers import answer_with, question_values
from tilescope.server.services.tools import (
    ARROW,
    BuildName,
    ToolListTask,
    ToolTask,
    arrow_answer,
    builds_of,
    check_arrow,
    find_tool,
    json_answer,
    json_list,
    question_name,
)
from tilescope.server.services.worker import Task
from tilescope.server.services.workers import Asking
from tilescope.tiler.tools import from_text, to_json

routes = web.RouteTableDef()


@routes.get(BUILD + "/tools")
async def get_tools(request: web.Request) -> web.StreamResponse:
    """All tools, and which of them have an answer for this run."""
    return await _answer(request, "tools", ToolListTask(json_list), JSON)


@routes.get(BUILD + "/tools/{tool}")
async def get_answer(request: web.Request) -> web.StreamResponse:
    """The answer of a tool."""
    return await _answer_of(request, request.match_info["tool"])


@routes.get(BUILD + "/bins")
async def get_bins(request: web.Request) -> web.StreamResponse:
    """The bins that a viewer draws of a track, for clients that do not want pages."""
    return await _answer_of(request, "bins")


async def _answer_of(request: web.Request, tool_id: str) -> web.StreamResponse:
    tool = find_tool(tool_id)
    values = question_values(request)
    table = values.pop("table", "")
    question = from_text(tool.question, values)
    if request.headers.get(hdrs.ACCEPT, "").partition(";")[0].strip() == ARROW:
        check_arrow()
        encode, media = arrow_answer, ARROW
    else:
        encode, media = json_answer, JSON
    name = question_name(tool, question, table, media)
    task = ToolTask(tool.id, to_json(question), partial(encode, table))
    return await _answer(request, name, task, media, builds_of(question))


async def _answer(
    request: web.Request, name: str, task: Task, media: str, others: Sequence[BuildName] = ()
) -> web.StreamResponse:
    def ask(asking: Asking, run: str, build: str) -> Awaitable[bytes]:
        return request.app[QUESTIONS].ask(asking, run, build, name, task, others)

    return await answer_with(request, name, ask, media, others)
