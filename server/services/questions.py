"""Answers questions about a build, for every transport alike."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final
from weakref import WeakKeyDictionary, proxy

from tilescope.server.errors import TooMany
from tilescope.server.metrics import Metrics
from tilescope.server.runs.registry import Registry
from tilescope.server.runs.store import RunStore
from tilescope.server.services.requests import EventsRequest, StatsRequest, ViewRequest
from tilescope.server.services.tasks import Encode, EncodingTask, EventPart, EventsTask, FindTask, StatsTask
from tilescope.server.services.turns import Asker, Limits
from tilescope.server.services.worker import Source, Task
from tilescope.server.services.workers import Asking, Workers
from tilescope.server.settings import DEFAULTS, Settings
from tilescope.tiler.query import FindQuery, Place, QueryReader
from tilescope.tiler.resolver import PageWant
from tilescope.tiler.store.sense import must_make_sense

EVENTS_AT_ONCE: Final = 16_384  # of a stream of events: nothing is held for a client that does not take them


class Questions:
    """Open between its making and `close`. Every answer leases the build for as long as it takes."""

    def __init__(self, registry: Registry, settings: Settings = DEFAULTS, metrics: Metrics | None = None) -> None:
        self._registry = registry
        self._metrics = metrics or Metrics()
        self._workers = Workers(
            Limits(settings.max_questions, settings.max_questions_per_client, settings.max_questions_per_connection)
        )
        self._metrics.questions.set_function(lambda: len(self._workers))
        self._readers: WeakKeyDictionary[RunStore, QueryReader] = WeakKeyDictionary()

    @contextmanager
    def asking(self, asker: Asker) -> Iterator[Asking]:
        """A place for one question, to be kept until its answer is sent. Raises `TooMany`."""
        try:
            with self._workers.asking(asker) as asking:
                yield asking
        except TooMany:
            self._metrics.refused_questions.inc()
            raise

    async def stats(self, asking: Asking, run_id: str, build: str, request: StatsRequest, encode: Encode) -> Any:
        """Statistics by name, as docs/api.md has them and `encode` turns them into. Raises `TilescopeError`s."""
        return await self._answer(asking, run_id, build, StatsTask(request, encode))

    async def find(self, asking: Asking, run_id: str, build: str, query: FindQuery, encode: Encode) -> Any:
        """Occurrences of a name, as docs/api.md has them and `encode` turns them into. Raises `TilescopeError`s."""
        return await self._answer(asking, run_id, build, FindTask(query, encode))

    async def encoded(self, asking: Asking, run_id: str, build: str, encode: Callable[[], Any]) -> Any:
        """What `encode` returns, of things that it has; made where the event loop does not wait for it."""
        return await self._answer(asking, run_id, build, EncodingTask(encode))

    async def events(
        self,
        asking: Asking,
        run_id: str,
        build: str,
        request: EventsRequest,
        limit: int,
        encode: Callable[[Sequence[EventPart], bool], Any],
    ) -> Any:
        """The first events of a span by (track, ordinal), as `encode` turns them into. Raises `TilescopeError`s."""
        return await self._answer(asking, run_id, build, EventsTask(request, limit, encode))

    async def all_events(
        self, asking: Asking, run_id: str, build: str, request: EventsRequest
    ) -> AsyncGenerator[EventPart, None]:
        """The events of a span, part by part in the order (track, ordinal). Raises `TilescopeError`s. To be closed."""
        named: set[int] = set()
        has_more = True
        while has_more:
            parts: Sequence[EventPart]
            parts, has_more = await self.events(asking, run_id, build, request, EVENTS_AT_ONCE, _as_they_are)
            for part in parts:
                names = {name: text for name, text in part.names.items() if name not in named}
                named |= names.keys()
                yield EventPart(part.events, names)
            if has_more:
                last = next(part.events for part in reversed(parts) if len(part.events))
                place = Place(int(last.start[-1]), last.track, int(last.ordinal[-1]))
                request = replace(request, after=place)

    def view(self, store: RunStore, request: ViewRequest) -> list[PageWant]:
        """The pages that show a view, most urgent first. Takes milliseconds. Raises `TilescopeError`s."""
        view = request.view()
        with must_make_sense(f"build {store.build}"):
            return self.reader(store).pages(view, request.tracks, request.nearby)

    def reader(self, store: RunStore) -> QueryReader:
        """A reader of an open store; the same one each time unless the store still changes."""
        if store.is_growing:
            return QueryReader(store)
        reader = self._readers.get(store)
        if reader is None:
            # It must not hold what it is kept under: a store that nobody has open takes its reader along.
            reader = self._readers[store] = QueryReader(proxy(store))
        return reader

    async def close(self) -> None:
        """Ends the processes."""
        await self._workers.close()

    async def _answer(self, asking: Asking, run_id: str, build: str, task: Task) -> Any:
        run = await self._registry.find(run_id)
        with self._registry.lease(run.id, build) as store:
            opener = self._registry.opener(is_growing=store.is_growing)
            return await asking.answer(Source(run.store, build, opener), task)


def _as_they_are(parts: Sequence[EventPart], has_more: bool) -> tuple[Sequence[EventPart], bool]:
    return parts, has_more
