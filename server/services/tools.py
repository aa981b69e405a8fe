"""Questions to tools, as values that travel to the process that answers; and the parts of their answers."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Final, NamedTuple

from tilescope.server.errors import NotAcceptable, NotFound
from tilescope.server.json_text import json_body
from tilescope.server.redaction import without_folders
from tilescope.tiler.errors import NotBuilt, UsageError
from tilescope.tiler.pages import compress
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.schema import ToolList
from tilescope.tiler.tools import (
    Answer,
    AnyTool,
    BuildRef,
    Question,
    Scope,
    answer_json,
    ask,
    from_json,
    references,
    to_json,
    tool,
    tool_list,
)

ARROW: Final = "application/vnd.apache.arrow.stream"


class BuildName(NamedTuple):
    """A build of a run, as paths have it."""

    run: str
    build: str


@dataclass(frozen=True, slots=True)
class ToolTask:
    """A question to a tool, as JSON, because a class of another package might not travel.

    `encode` is a function of a module, or a `partial` of one.
    """

    tool: str
    question: bytes
    encode: Callable[[Answer], Any]

    def __call__(self, reader: QueryReader, *others: QueryReader) -> Interruptible[Any]:
        """To be called with the readers of the builds that `builds_of` the question names, in this order."""
        chosen_tool = tool(self.tool)
        question = from_json(chosen_tool.question, self.question)
        named = dict(zip(_build_refs(question), others, strict=True))
        answer = yield from ask(chosen_tool, Scope(reader, named), question)
        return self.encode(answer)


@dataclass(frozen=True, slots=True)
class ToolListTask:
    """Lists the tools, and says which of them have an answer for this run."""

    encode: Callable[[ToolList], Any]

    def __call__(self, reader: QueryReader) -> Interruptible[Any]:
        return self.encode(ToolList(tools=(yield from tool_list(Scope(reader)))))


def find_tool(name: str) -> AnyTool:
    """The tool of that id. Raises `NotFound`."""
    try:
        return tool(name)
    except UsageError as error:
        raise NotFound(without_folders(str(error))) from None


def builds_of(question: Question) -> list[BuildName]:
    """The builds that a question names beside the one that it is about. Raises UsageError."""
    return [_build_name(ref) for ref in _build_refs(question)]


def json_list(listed: ToolList) -> bytes:
    """The list as HTTP sends it."""
    return compress(json_body(listed))


def json_answer(table: str, answer: Answer) -> bytes:
    """An answer as HTTP sends it; of one table, if one is named. Raises UsageError when there is none of that name."""
    return compress(json_text(table, answer))


def arrow_answer(table: str, answer: Answer) -> bytes:
    """One table as an Arrow IPC stream, compressed. Raises UsageError when there is no such table."""
    return compress(arrow_stream(table, answer))


def json_text(table: str, answer: Answer) -> bytes:
    """An answer as JSON; of one table, if one is named. Raises UsageError when there is none of that name."""
    return answer_json.encode(answer, table or None)


def arrow_stream(table: str, answer: Answer) -> bytes:
    """One table as an Arrow IPC stream. Raises UsageError when there is none of that name, or no pyarrow.

    Raises NotBuilt while the run is indexed and the answer is not complete: a stream does not say so.
    """
    if answer.is_growing:
        raise NotBuilt("the run is still being indexed: ask in JSON, whose answers say whether they are complete")
    from tilescope.tiler.tools.arrow import ipc_stream

    return ipc_stream(answer.only_table(table or None))


def check_arrow() -> None:
    """Raises `NotAcceptable` where tables cannot be written as Arrow."""
    if find_spec("pyarrow") is None:
        raise NotAcceptable("this server cannot answer in Arrow, because pyarrow is not installed: ask for JSON")


def _build_refs(question: Question) -> list[BuildRef]:
    """Each once."""
    return list(dict.fromkeys(references(question, BuildRef).values()))


def _build_name(ref: BuildRef) -> BuildName:
    run, slash, build = ref.partition("/")
    if not (run and slash and build) or "/" in build:
        raise UsageError(f"a build is named by RUN/BUILD, as the list of runs has them, not {str(ref)[:80]!r}")
    return BuildName(run, build)


def question_name(tool: AnyTool, question: Question, table: str, form: str) -> str:
    """A name for an answer, of the question as it is understood: how it is spelt changes nothing."""
    return f"tools-{tool.id}-{digest(to_json(question), table.encode(), form.encode())}"


def digest(*parts: bytes) -> str:
    """A short text for these bytes, and for no others."""
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]
