"""Runs that an agent may ask about: those named at the start, or all of a server. Each is opened when asked for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from types import TracebackType
from typing import Final, Protocol, Self

from tilescope.client import AsyncRun, RunInfo
from tilescope.mcp.links import LinkTarget
from tilescope.mcp.short_text import one_line
from tilescope.tiler.errors import UsageError
from tilescope.tiler.schema import RunManifest
from tilescope.tiler.tools.figure_text import Shown

MOST_OPEN: Final = 16  # builds whose names of tracks are kept


class AgentClient(Protocol):
    """Client of a place with runs: `AsyncClient` is one."""

    async def runs(self) -> list[RunInfo]: ...

    async def run(self, name: str) -> AsyncRun: ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class RunPlace:
    """Place with runs: its name for people, how they are opened, and how a link to one is made of its id."""

    name: str
    open: Callable[[], Awaitable[AgentClient]]
    link: Callable[[str, LinkTarget], str]


@dataclass(frozen=True, slots=True)
class AgentRun:
    """A run that is open: its figures in words, and ways back to it."""

    run: AsyncRun
    shown: Shown
    zero: int
    place: RunPlace

    def link(self, place: LinkTarget) -> str:
        """The address, or the command, that opens a place in it."""
        return self.place.link(self.run.id, place)

    def span_text(self, start: int, end: int) -> str:
        """Ticks [start, end) in words, exact ticks behind."""
        return f"{self.shown.text('time', start)} to {self.shown.text('time', end)} (ticks {start}-{end})"


@dataclass(slots=True)
class AgentRuns:
    """Use it with `async with`: it closes what it has opened."""

    places: Sequence[RunPlace]
    _clients: dict[str, AgentClient] = field(default_factory=dict)
    _open: dict[tuple[str, str, str], AgentRun] = field(default_factory=dict)
    _exits: AsyncExitStack = field(default_factory=AsyncExitStack)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._exits.aclose()

    async def listed(self) -> list[tuple[RunPlace, RunInfo]]:
        """All runs, those of one place newest first."""
        return [(place, info) for place in self.places for info in await (await self._client(place)).runs()]

    async def open(self, name: str | None) -> AgentRun:
        """The run of this id, name or place; without a name the only one there is. Raises UsageError and as clients."""
        runs = await self.listed()
        matching = [
            (place, info)
            for place, info in runs
            if name in (None, info.id, info.name) or (name == place.name and info.build is not None)
        ]
        if not matching:
            raise UsageError(f"there is no run {one_line(str(name))}: there are {_names(runs)}")
        if name is None and len(matching) > 1:
            raise UsageError(f"which run? There are {_names(runs)}")
        return await self._run(*matching[0])

    async def open_newest(self) -> AgentRun:
        """The newest run of the first place that has one that can be opened. Raises UsageError and as clients."""
        for place, info in await self.listed():
            if info.build is not None:
                return await self._run(place, info)
        raise UsageError("there is no run that can be opened")

    async def _run(self, place: RunPlace, info: RunInfo) -> AgentRun:
        client = await self._client(place)
        key = place.name, info.id, info.build or ""
        if key not in self._open or info.state != "ready":
            opened = await _opened(client, info.id, place)
            while len(self._open) >= MOST_OPEN:
                self._open.pop(next(iter(self._open)))
            self._open[key] = opened
        return self._open[key]

    async def _client(self, place: RunPlace) -> AgentClient:
        if place.name not in self._clients:
            client = await place.open()
            self._exits.push_async_callback(client.close)
            self._clients[place.name] = client
        return self._clients[place.name]


async def _opened(client: AgentClient, run_id: str, place: RunPlace) -> AgentRun:
    run = await client.run(run_id)
    outliers = RunManifest.from_json(run.manifest).outliers
    zero = int(outliers.start) if outliers else 0
    names = {track.id: f"{''.join(track.path[-1:])} › {track.name}" for track in await run.tracks()}
    return AgentRun(run, Shown(run.tick_ps, lambda track: names.get(track, ""), zero), zero, place)


def _names(runs: Sequence[tuple[RunPlace, RunInfo]]) -> str:
    names = [one_line(info.name) for _, info in runs[:10]]
    more = f" and {len(runs) - 10:,} more (runs lists them)" if len(runs) > 10 else ""
    return f"{', '.join(names) or 'none'}{more}"
