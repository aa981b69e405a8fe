"""Answers of tools, in parts."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from functools import partial
from typing import Final

from tilescope.server.errors import BadRequest
from tilescope.server.rpc.messages import to_message
from tilescope.server.services import Questions
from tilescope.server.services.tools import (
    ToolListTask,
    ToolTask,
    arrow_stream,
    builds_of,
    check_arrow,
    find_tool,
    json_text,
    question_name,
)
from tilescope.server.services.workers import Asking
from tilescope.tiler.schema import ToolList
from tilescope.tiler.tools import from_json, to_json
from tilescope.v1 import tiles_pb2 as pb

PART_BYTES: Final = 1 << 20  # clients take messages of 4 MiB unless they are told otherwise

_FORMATS: Final = {"": json_text, "json": json_text, "arrow": arrow_stream}


async def listed(questions: Questions, asking: Asking, request: pb.ListToolsRequest) -> bytes:
    """A `ListToolsResponse`."""
    return await questions.ask(asking, request.run, request.build, "tools-grpc", ToolListTask(_tools_message))


async def answer(questions: Questions, asking: Asking, request: pb.AskRequest) -> AsyncGenerator[pb.AskResponse, None]:
    """The answer in parts; at least one."""
    tool = find_tool(request.tool)
    if request.format not in _FORMATS:
        raise BadRequest(f"the format must be json or arrow, not {request.format!r}")
    encode = _FORMATS[request.format]
    if encode is arrow_stream:
        check_arrow()
    question = from_json(tool.question, request.question)
    name = question_name(tool, question, request.table, encode.__name__)
    task = ToolTask(tool.id, to_json(question), partial(encode, request.table))
    data = await questions.ask(asking, request.run, request.build, name, task, builds_of(question))
    for first in range(0, max(len(data), 1), PART_BYTES):
        yield pb.AskResponse(data=data[first : first + PART_BYTES])


def _tools_message(tools: ToolList) -> bytes:
    return to_message(tools, pb.ListToolsResponse()).SerializeToString()
