"""A store without a server: on this machine, or an archive at an address."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from tilescope.client.errors import Refused
from tilescope.client.source import Build, Value
from tilescope.client.store_source import StoreSource
from tilescope.remote.mirrors import mirrored_object
from tilescope.tiler.errors import NOTHING_THERE, Cancelled, NoStore
from tilescope.tiler.lookup.manifest import run_manifest
from tilescope.tiler.mount import current_build_path, is_run, open_run
from tilescope.tiler.path_names import path_name
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.readers.discovered_run import run_id
from tilescope.tiler.schema import Run, RunState, manifest_of
from tilescope.tiler.store.clocks import clock_shifts
from tilescope.tiler.store.extent import RunExtent
from tilescope.tiler.store.store import Store
from tilescope.tiler.store.validation import must_make_sense
from tilescope.tiler.tools import (
    Answer,
    BuildRef,
    Scope,
    Table,
    ask,
    from_values,
    no_such_tool,
    references,
    tool_list,
    tools,
)
from tilescope.tiler.work_rules import NO_WORK_RULES, WorkRules

if TYPE_CHECKING:
    from tilescope.tiler.sql import SqlAnswer

T = TypeVar("T")


@dataclass(slots=True)
class _Shared:
    """An open generation: what is decoded of it is decoded once, for all clients with the same rules."""

    store: Store
    readers: dict[WorkRules, QueryReader]
    users: int = 0

    def reader(self, rules: WorkRules) -> QueryReader:
        """The reader that goes by these rules."""
        reader = self.readers.get(rules)
        return self.readers.setdefault(rules, QueryReader(self.store, rules)) if reader is None else reader


_open: dict[Path, _Shared] = {}
_opening = threading.Lock()


def _share(path: Path, rules: WorkRules) -> tuple[Path, _Shared]:
    """The published generation of a store; to be released. Raises StoreError."""
    folder = current_build_path(path)
    shared = _share_open(folder)
    if shared is not None:
        return folder, shared
    store = open_run(path)
    try:
        fresh = _Shared(store, {rules: QueryReader(store, rules)})
    except BaseException:  # of a damaged one
        store.close()
        raise
    folder = path / f"gen-{store.build}"
    with _opening:
        shared = _open.setdefault(folder, fresh)
        shared.users += 1
    if shared is not fresh:  # it was opened just then, or is a run of shards, whose path does not tell its build
        store.close()
    return folder, shared


def _share_open(folder: Path) -> _Shared | None:
    """A generation that is open; to be released. None where it is not."""
    with _opening:
        shared = _open.get(folder)
        if shared is not None:
            shared.users += 1
        return shared


def _release(folder: Path) -> None:
    with _opening:
        shared = _open[folder]
        shared.users -= 1
        if not shared.users:
            del _open[folder]
            shared.store.close()


@contextmanager
def _reading(ref: str, rules: WorkRules) -> Iterator[QueryReader]:
    """A build that a question names, by the same rules.

    It is named by the path of its store, or as `LocalSource.ref` names one that is open.
    """
    path = Path(ref).resolve()
    folder, shared = path, _share_open(path)
    if shared is None:
        if not is_run(path):
            raise NoStore(f"{ref}: there is no store here to compare with")
        folder, shared = _share(path, rules)
    try:
        yield shared.reader(rules)
    finally:
        _release(folder)


async def _finished(steps: Interruptible[T]) -> T:
    """The answer, worked on in a thread; whoever stops waiting stops the work."""
    is_wanted = threading.Event()
    is_wanted.set()

    def work() -> T:
        while is_wanted.is_set():
            try:
                next(steps)
            except StopIteration as end:
                answer: T = end.value
                return answer
        steps.close()
        raise Cancelled("the client has disconnected")

    working = asyncio.get_running_loop().run_in_executor(None, work)
    try:
        return await asyncio.shield(working)
    finally:
        is_wanted.clear()
        await asyncio.wait([working])


class LocalSource(StoreSource):
    """The one run of a store. The generation that was published when it was opened is read until it is closed."""

    def __init__(self, path: Path, work_rules: WorkRules = NO_WORK_RULES) -> None:
        if not is_run(path):
            what = "there is no store here" if path.exists() else NOTHING_THERE
            raise NoStore(f"{path_name(path)}: {what} (make one with: tilescope index TRACE -o STORE)")
        self._path = path.resolve()
        self._rules = work_rules
        self._folder, shared = _share(self._path, work_rules)
        self._shared: _Shared | None = shared
        self._id = run_id(Path(self.place), self._path.name)

    @property
    def place(self) -> str:
        return path_name(self._path)

    async def runs(self) -> list[dict[str, Any]]:
        manifest = run_manifest(self._store)
        extent = RunExtent.from_manifest(manifest)
        run = Run(
            id=self._id,
            name=self._path.name,
            path=self.place,
            state=RunState.READY,
            error=None,
            hosts=manifest.hosts,
            files=len(manifest.files),
            size_bytes=str(manifest.store_bytes),
            modified_ns=str(manifest.created_ns),
            build=self._store.build,
            progress=None,
            notes=[],
            events=str(extent.events),
            duration_ps=str(extent.duration_ps),
            growing=False,
            contents=[],
            steps=None if extent.steps is None else str(extent.steps),
        )
        return [msgspec.to_builtins(run)]

    async def index(self, run: str) -> dict[str, Any]:
        self._check(run)
        (indexed,) = await self.runs()
        return indexed

    async def watch(self, run: str) -> AsyncGenerator[dict[str, Any], None]:
        self._check(run)
        yield {"type": "ready", "build": self._store.build}

    async def manifest(self, run: str) -> dict[str, Any]:
        self._check(run)
        stored = self._store.manifest()
        shifts = clock_shifts(self._path, stored)
        manifest: dict[str, Any] = msgspec.to_builtins(manifest_of(stored, self._id, self._path.name, shifts=shifts))
        return manifest

    async def tools(self, build: Build) -> list[dict[str, Any]]:
        self._check(*build)
        with must_make_sense(self._path.name):
            entries = await _finished(tool_list(Scope(self._reader)))
        return [msgspec.to_builtins(entry) for entry in entries]

    async def ask(self, build: Build, tool: str, values: Mapping[str, Value]) -> Answer:
        self._check(*build)
        local_tool = tools().get(tool)
        if local_tool is None:
            raise Refused("not_found", no_such_tool(tool))
        question = from_values(local_tool.question, values)
        with ExitStack() as opened:
            others = {
                ref: opened.enter_context(_reading(ref, self._rules)) for ref in references(question, BuildRef).values()
            }
            with must_make_sense(self._path.name):
                return await _finished(ask(local_tool, Scope(self._reader, others), question))

    async def table(self, build: Build, tool: str, values: Mapping[str, Value], name: str) -> Table:
        return (await self.ask(build, tool, values)).table(name)

    async def sql(self, build: Build, statement: str, rows: int) -> SqlAnswer:
        self._check(*build)
        from tilescope.tiler.sql import SqlLimits, ask_sql

        return await asyncio.to_thread(ask_sql, self._path, statement, SqlLimits(rows=rows), build=build.id)

    def ref(self, build: Build) -> str:
        return str(self._path / f"gen-{build.id}")

    async def close(self) -> None:
        if self._shared is not None:
            self._shared = None
            _release(self._folder)

    @property
    def _store(self) -> Store:
        return self._in_use().store

    @property
    def _reader(self) -> QueryReader:
        return self._in_use().reader(self._rules)

    def _in_use(self) -> _Shared:
        if self._shared is None:
            raise NoStore(f"{self._path}: the client is closed")
        return self._shared

    def _check(self, run: str, build: str | None = None) -> None:
        if run != self._id:
            raise Refused("not_found", f"there is no run {run!r}")
        if build not in (None, self._store.build):
            raise Refused("unknown_build", f"there is no build {build} any more: fetch the manifest again")

    def _opened(self, build: Build) -> Store:
        self._check(*build)
        return self._store


class AddressSource(LocalSource):
    """The one run of an archive at an address, which is mirrored until the source is closed."""

    def __init__(self, address: str, work_rules: WorkRules = NO_WORK_RULES) -> None:
        """Raises StoreError where no archive lies there, and `BlobError`s."""
        with ExitStack() as stack:
            super().__init__(stack.enter_context(mirrored_object(address)), work_rules)
            self._mirrored = stack.pop_all()

    async def close(self) -> None:
        await super().close()
        self._mirrored.close()
