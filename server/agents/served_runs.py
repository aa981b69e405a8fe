"""Runs of this server as agents ask about them: in its own workers, in the turn of the client that asks."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from tilescope.client import AsyncRun, RunInfo
from tilescope.client.source import Build, Value, ref_of, text_of
from tilescope.client.store_source import StoreSource
from tilescope.server.http.caching import JSON
from tilescope.server.runs.registry import Registry
from tilescope.server.runs.run import RunStatus
from tilescope.server.runs.run_manifest import run_manifest
from tilescope.server.services import Asker, Questions
from tilescope.server.services.statements import Statements
from tilescope.server.services.tools import (
    BuildName,
    ToolListTask,
    ToolTask,
    builds_of,
    find_tool,
    json_answer,
    json_list,
    question_name,
)
from tilescope.server.services.worker import Task
from tilescope.tiler.pages import decompress
from tilescope.tiler.store.store import Store
from tilescope.tiler.tools import Answer, Table, from_text, to_json
from tilescope.tiler.tools.answer_json import decode

if TYPE_CHECKING:
    from tilescope.tiler.sql import SqlAnswer


class Caller(NamedTuple):
    """Whose turn a question takes, and the address by which the server was reached: links begin with it."""

    asker: Asker
    address: str


CALLER: Final[ContextVar[Caller]] = ContextVar("caller")


class ServedRuns:
    """The runs of a registry: what `AgentRuns` asks of a place. Closes nothing: the application does."""

    def __init__(self, registry: Registry, questions: Questions, statements: Statements) -> None:
        self._registry = registry
        self._source = ServedSource(registry, questions, statements)

    async def runs(self) -> list[RunInfo]:
        """All runs, newest first."""
        return list(map(_info, await self._registry.list_runs()))

    async def run(self, name: str) -> AsyncRun:
        """The run of that id. Raises `NotFound`, `NotIndexed`, `StoreError`."""
        return AsyncRun(self._source, await self._source.manifest(name))

    async def index(self, name: str) -> RunInfo:
        """Has the run of that id indexed next; the run as it is now. Raises `NotFound`, `IndexingFailed`."""
        return _info(await self._registry.index_again(name))

    async def close(self) -> None:
        """Nothing is to be closed."""


def _info(status: RunStatus) -> RunInfo:
    return RunInfo.from_json(msgspec.to_builtins(status.to_schema()))


class ServedSource(StoreSource):
    """Answers about runs of this server: a `RunSource`."""

    def __init__(self, registry: Registry, questions: Questions, statements: Statements) -> None:
        self._registry = registry
        self._questions = questions
        self._statements = statements

    async def manifest(self, run: str) -> dict[str, Any]:
        found_run = await self._registry.find(run)
        manifest = run_manifest(found_run, self._registry.current_store(found_run))
        decoded: dict[str, Any] = msgspec.to_builtins(manifest)
        return decoded

    async def tools(self, build: Build) -> list[dict[str, Any]]:
        body = await self._answer(build, "tools", ToolListTask(json_list))
        listed: list[dict[str, Any]] = json.loads(body)["tools"]
        return listed

    async def ask(self, build: Build, tool: str, values: Mapping[str, Value]) -> Answer:
        chosen = find_tool(tool)
        question = from_text(chosen.question, {name: text_of(value) for name, value in values.items()})
        name = question_name(chosen, question, "", JSON)  # the answer that HTTP has kept is the same
        task = ToolTask(chosen.id, to_json(question), partial(json_answer, ""))
        return decode(await self._answer(build, name, task, builds_of(question)))

    async def table(self, build: Build, tool: str, values: Mapping[str, Value], name: str) -> Table:
        return (await self.ask(build, tool, values)).table(name)

    async def sql(self, build: Build, statement: str, rows: int) -> SqlAnswer:
        return await self._statements.answer(CALLER.get().asker.client, *build, statement, rows)

    def ref(self, build: Build) -> str:
        return ref_of(build)

    def _opened(self, build: Build) -> Store:
        return self._registry.store(build.run, build.id)

    async def _answer(self, build: Build, name: str, task: Task, others: Sequence[BuildName] = ()) -> bytes:
        with self._questions.asking(CALLER.get().asker) as asking:
            body = await self._questions.ask(asking, build.run, build.id, name, task, others)
        return decompress(body)
