"""A store on this machine, without a server."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tilescope.client.errors import Refused
from tilescope.client.source import Build, Value
from tilescope.tiler.errors import NoStore
from tilescope.tiler.pages import PageKey, decompress
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.readers.logdir import run_id
from tilescope.tiler.store import RunStore, generation, is_store, open_run_store
from tilescope.tiler.tools import Answer, Scope, from_values, no_such_tool, tools


@dataclass(slots=True)
class _Shared:
    """An open generation: what is decoded of it is decoded once, however many clients there are."""

    store: RunStore
    reader: QueryReader
    users: int = 0


_open: dict[Path, _Shared] = {}
_opening = threading.Lock()


class LocalSource:
    """The one run of a store. The generation that was published when it was opened is read until it is closed."""

    def __init__(self, path: Path) -> None:
        if not is_store(path):
            raise NoStore(f"{path}: there is no store here (make one with: tilescope index TRACE -o STORE)")
        self._path = path.resolve()
        with _opening:
            self._folder = generation.current(self._path)
            shared = _open.get(self._folder)
            if shared is None:
                store = open_run_store(self._path)
                self._folder = self._path / f"gen-{store.build}"
                shared = _open.setdefault(self._folder, _Shared(store, QueryReader(store)))
            shared.users += 1
        self._shared: _Shared | None = shared
        self._id = run_id(self._path, self._path.name)

    async def runs(self) -> list[dict[str, Any]]:
        manifest = self._store.manifest()
        return [
            {
                "id": self._id,
                "name": self._path.name,
                "path": str(self._path),
                "state": "ready",
                "error": None,
                "hosts": manifest["hosts"],
                "files": len(manifest["files"]),
                "size_bytes": manifest["store_bytes"],
                "modified_ns": manifest["created_ns"],
                "build": self._store.build,
                "progress": None,
                "notes": [],
            }
        ]

    async def index(self, run: str) -> dict[str, Any]:
        self._check(run)
        (indexed,) = await self.runs()
        return indexed

    async def watch(self, run: str) -> AsyncGenerator[dict[str, Any], None]:
        self._check(run)
        yield {"type": "ready", "build": self._store.build}

    async def manifest(self, run: str) -> dict[str, Any]:
        self._check(run)
        return {"run": self._id, "name": self._path.name, **self._store.manifest()}

    async def tracks(self, build: Build) -> dict[str, Any]:
        self._check(*build)
        tree: dict[str, Any] = json.loads(decompress(self._store.tracks()))
        return tree

    async def names(self, build: Build, page: int) -> list[list[str]]:
        self._check(*build)
        names: list[list[str]] = json.loads(decompress(self._found(self._store.names(page), f"names-{page}")))
        return names

    async def shape(self, build: Build, block: int) -> bytes:
        self._check(*build)
        return self._found(self._store.shape(block), f"shapes-{block}")

    async def pages(self, build: Build, keys: Sequence[PageKey]) -> AsyncIterator[tuple[PageKey, bytes]]:
        self._check(*build)
        for key in keys:
            yield key, self._found(self._store.page(key), key.text())

    async def event(self, build: Build, track: int, ordinal: int) -> dict[str, Any]:
        self._check(*build)
        event = self._store.event(track, ordinal)
        if event is None:
            raise Refused("not_found", f"there is no events-{track}.{ordinal} in build {self._store.build}")
        return event

    async def ask(self, build: Build, tool: str, values: Mapping[str, Value]) -> Answer:
        self._check(*build)
        asked = tools().get(tool)
        if asked is None:
            raise Refused("not_found", no_such_tool(tool))
        question = from_values(asked.question, values)
        return await asyncio.to_thread(finish, asked.answer(Scope(self._reader), question))

    async def close(self) -> None:
        with _opening:
            shared, self._shared = self._shared, None
            if shared is not None:
                shared.users -= 1
                if not shared.users:
                    del _open[self._folder]
                    shared.store.close()

    @property
    def _store(self) -> RunStore:
        return self._in_use().store

    @property
    def _reader(self) -> QueryReader:
        return self._in_use().reader

    def _in_use(self) -> _Shared:
        if self._shared is None:
            raise NoStore(f"{self._path}: the client is closed")
        return self._shared

    def _check(self, run: str, build: str | None = None) -> None:
        if run != self._id:
            raise Refused("not_found", f"there is no run {run!r}")
        if build not in (None, self._store.build):
            raise Refused("unknown_build", f"there is no build {build} any more: fetch the manifest again")

    def _found(self, record: bytes | None, name: str) -> bytes:
        if record is None:
            raise Refused("not_found", f"there is no {name} in build {self._store.build}")
        return record
