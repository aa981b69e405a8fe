"""Runs that an agent may ask about: those named at the start, or all of a server. Each is opened when asked for."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from types import TracebackType
from typing import Final, Protocol, Self

from tilescope.client import AsyncRun, RunInfo
from tilescope.mcp.links import LinkTarget
from tilescope.mcp.short_text import one_line
from tilescope.tiler.errors import TilescopeError, UsageError
from tilescope.tiler.schema import RunManifest
from tilescope.tiler.tools.figure_text import Shown

MOST_OPEN: Final = 16  # builds whose names of tracks are kept


class AgentClient(Protocol):
    """Client of a place with runs: `AsyncClient` is one."""

    async def runs(self) -> list[RunInfo]: ...

    async def run(self, name: str) -> AsyncRun: ...

    async def index(self, name: str) -> RunInfo: ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class RunPlace:
    """Place with runs: its name for people, how they are opened, and how a link to one is made of its id."""

    name: str
    open: Callable[[], Awaitable[AgentClient]]
    link: Callable[[str, LinkTarget], str]
    is_server: bool = False


@dataclass(frozen=True, slots=True)
class RunListing:
    """Runs with their places, those of one place newest first, and a line for each place that cannot be asked."""

    runs: list[tuple[RunPlace, RunInfo]]
    failures: list[str]


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

    def ref_of(self, other: AgentRun) -> str:
        """The name of another run in a question to this one. Raises UsageError where none is possible."""
        if self.place is not other.place and (self.place.is_server or other.place.is_server):
            here, there = one_line(self.run.name), one_line(other.run.name)
            raise UsageError(f"{here} and {there} cannot be compared: both must be on one server, or on this machine")
        return other.run.ref


@dataclass(slots=True)
class AgentRuns:
    """Use it with `async with`: it closes what it has opened. `allows_sql`: agents may run statements, too."""

    places: Sequence[RunPlace]
    allows_sql: bool = False
    _clients: dict[str, AgentClient] = field(default_factory=dict)
    _opening: defaultdict[str, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))
    _open: dict[tuple[str, str, str], AgentRun] = field(default_factory=dict)
    _exits: AsyncExitStack = field(default_factory=AsyncExitStack)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._exits.aclose()

    async def listed(self, places: Sequence[RunPlace] | None = None) -> RunListing:
        """The runs of these places, by default of all. Raises as clients where there is one place, and it fails."""
        listing = RunListing([], [])
        for place in self.places if places is None else places:
            try:
                client = await self._client(place)
                listing.runs.extend((place, info) for info in await client.runs())
            except TilescopeError as error:
                if len(self.places if places is None else places) == 1:
                    raise
                listing.failures.append(f"{place.name.partition('?')[0]}: {error}")
        return listing

    async def open(self, name: str | None) -> AgentRun:
        """The run of this id, name or place; without a name the only one there is.

        Of a place it is the newest that can be opened. Raises UsageError, for a name that several have too, and as
        clients.
        """
        places = [place for place in self.places if place.name == name]
        listing = await self.listed(places or None)
        if places:
            matching = sorted(listing.runs, key=lambda entry: entry[1].build is None)[:1]
        else:
            matching = [entry for entry in listing.runs if entry[1].id == name]
            matching = matching or [entry for entry in listing.runs if name in (None, entry[1].name)]
        if not matching:
            there = f"there are {_names(listing)}"
            raise UsageError("there is no run" if name is None else f"there is no run {one_line(name)}: {there}")
        if len(matching) > 1 or (name is None and listing.failures):
            raise UsageError(f"which run? There are {_names(RunListing(matching, listing.failures), with_ids=True)}")
        return await self._run(*matching[0])

    async def open_newest(self) -> AgentRun:
        """The newest run of the first place that has one that can be opened. Raises UsageError and as clients."""
        for place, info in (await self.listed()).runs:
            if info.build is not None:
                return await self._run(place, info)
        raise UsageError("there is no run that can be opened")

    async def _run(self, place: RunPlace, info: RunInfo) -> AgentRun:
        client = await self._client(place)
        if info.build is None:
            info = await _indexed(client, info)
        key = place.name, info.id, info.build or ""
        if key in self._open:
            return self._open[key]
        opened = await _opened(client, info.id, place)
        if opened.run.manifest["state"] == "ready":  # one that grows has more tracks, and a later end, next time
            while len(self._open) >= MOST_OPEN:
                self._open.pop(next(iter(self._open)))
            self._open[key] = opened
        return opened

    async def _client(self, place: RunPlace) -> AgentClient:
        async with self._opening[place.name]:  # a trace is indexed once, however many questions wait for it
            if place.name not in self._clients:
                client = await place.open()
                self._exits.push_async_callback(client.close)
                self._clients[place.name] = client
            return self._clients[place.name]


async def _indexed(client: AgentClient, info: RunInfo) -> RunInfo:
    """A run without a build, once it has one. Raises UsageError until then, and has it indexed."""
    name = one_line(info.name)
    if info.state == "failed":
        raise UsageError(f"{name} could not be indexed: {one_line(info.error or 'for no reason that is known', 500)}")
    queued = await client.index(info.id)
    if queued.build is None:
        raise UsageError(f"{name} is not indexed yet, and is {queued.state}: ask again in some seconds")
    return queued


async def _opened(client: AgentClient, run_id: str, place: RunPlace) -> AgentRun:
    run = await client.run(run_id)
    outliers = RunManifest.from_json(run.manifest).outliers
    zero = int(outliers.start) if outliers else 0
    names = {track.id: f"{''.join(track.path[-1:])} › {track.name}" for track in await run.tracks()}
    return AgentRun(run, Shown(run.tick_ps, lambda track: names.get(track, ""), zero), zero, place)


def _names(listing: RunListing, *, with_ids: bool = False) -> str:
    runs = [info for _, info in listing.runs]
    names = [one_line(info.name) + (f" (id {one_line(info.id)})" if with_ids else "") for info in runs[:10]]
    more = f" and {len(runs) - 10:,} more (runs lists them)" if len(runs) > 10 else ""
    failures = "".join(f"; {one_line(failure, 200)}" for failure in listing.failures)
    return f"{', '.join(names) or 'none'}{more}{failures}"
