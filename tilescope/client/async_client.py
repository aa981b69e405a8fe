"""The asynchronous client: the runs of a server, or of a store. `tilescope.client.sync` is the same without `await`."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from types import TracebackType
from typing import Self

from tilescope.client.aio import AsyncRun
from tilescope.client.errors import Refused
from tilescope.client.progress import Progress
from tilescope.client.runs import RunInfo
from tilescope.client.source import Source


class AsyncClient:
    """A server, or a store on this machine. Close it, or use it with `async with`."""

    def __init__(self, source: Source) -> None:
        self._source = source

    async def runs(self) -> list[RunInfo]:
        """The runs, newest first."""
        return [RunInfo.from_json(run) for run in await self._source.runs()]

    async def run(self, name: str | None = None, *, wait: bool = False) -> AsyncRun:
        """Opens the run with this id or name; by default the newest that can be opened.

        With `wait`, a run that is not indexed yet is indexed first; without it, such a run raises `Refused`.
        """
        info = await self._find(name)
        if wait and info.state != "ready":
            await self._source.index(info.id)
            async for progress in self.watch(info.id):
                if progress.error is not None:
                    raise Refused("bad_trace", progress.error)
        return AsyncRun(self._source, await self._source.manifest(info.id))

    async def index(self, name: str) -> RunInfo:
        """Asks the server to index a run next, or again after a failure. Returns the run as it is now."""
        return RunInfo.from_json(await self._source.index((await self._find(name)).id))

    async def watch(self, name: str) -> AsyncGenerator[Progress, None]:
        """Yields the progress of the run with this id or name each time it changes; the last is `ready` or `failed`.

        Watching starts nothing: `index` does. As soon as there is a `build`, `run` can open it.
        """
        progress = Progress()
        async with aclosing(self._source.watch((await self._find(name)).id)) as messages:
            async for message in messages:
                if message["type"] != "blocks":
                    progress = progress.after(message)
                    yield progress

    async def close(self) -> None:
        """Closes connections, or the store."""
        await self._source.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._source.place}>"

    async def _find(self, name: str | None) -> RunInfo:
        matching = [run for run in await self.runs() if name in (None, run.id, run.name)]
        if name is None:
            matching = [run for run in matching if run.build is not None] or matching
        if not matching:
            raise Refused("not_found", "there is no run" if name is None else f"there is no run {name!r}")
        return matching[0]
