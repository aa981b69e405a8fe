"""Answers questions about a build, for every transport alike."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, TypeVar
from weakref import WeakKeyDictionary, proxy

from tilescope.server.runs.registry import Registry
from tilescope.server.runs.store import RunStore
from tilescope.server.services.requests import EventsRequest, StatsRequest, ViewRequest, span_of
from tilescope.server.services.workers import Workers
from tilescope.tiler.query import Events, FindQuery, Name, QueryReader, Reading, Steps, find, stats
from tilescope.tiler.resolver import PageWant, TickRange

T = TypeVar("T")

EVENT_KINDS = frozenset({"slice", "async", "instant", "counter"})


@dataclass(frozen=True, slots=True)
class EventPart:
    """Some events of one track, and their names as far as the parts before had not named them."""

    events: Events
    names: dict[int, Name]


class Questions:
    """Open between its making and `close`. Every answer leases the store for as long as it takes."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._workers = Workers()
        self._readers: WeakKeyDictionary[RunStore, QueryReader] = WeakKeyDictionary()

    async def stats(self, run_id: str, build: str, request: StatsRequest, encode: Callable[[dict[str, Any]], T]) -> T:
        """Statistics by name, as docs/api.md has them and `encode` turns them into. Raises `TilescopeError`s."""

        def ask(store: RunStore) -> Steps[T]:
            reader = self.reader(store)
            span = _within(span_of(request.start, request.end), reader)
            return encode((yield from stats(reader, span, request.tracks, request.limit)).to_json())

        return await self._answer(run_id, build, ask)

    async def find(self, run_id: str, build: str, query: FindQuery, encode: Callable[[dict[str, Any]], T]) -> T:
        """Occurrences of a name, as docs/api.md has them and `encode` turns them into. Raises `TilescopeError`s."""

        def ask(store: RunStore) -> Steps[T]:
            return encode((yield from find(self.reader(store), query)).to_json())

        return await self._answer(run_id, build, ask)

    async def aside(self, work: Callable[[], T]) -> T:
        """What takes longer than the event loop may stand still."""
        return await self._workers.run(work)

    async def events(self, run_id: str, build: str, request: EventsRequest) -> AsyncGenerator[EventPart, None]:
        """The events of a span, part by part in the order (track, ordinal). Raises `TilescopeError`s. To be closed."""
        run = await self._registry.find(run_id)
        with self._registry.lease(run.id, build) as store:
            parts = _event_parts(self.reader(store), request)
            while (part := await self._workers.next(parts)) is not None:
                yield part

    def view(self, store: RunStore, request: ViewRequest) -> list[PageWant]:
        """The pages that show a view, most urgent first. Takes milliseconds. Raises `TilescopeError`s."""
        return self.reader(store).pages(request.view(), request.tracks, request.nearby)

    def reader(self, store: RunStore) -> QueryReader:
        """A reader of an open store; the same one each time unless the store still changes."""
        if store.is_growing:
            return QueryReader(store)
        reader = self._readers.get(store)
        if reader is None:
            # It must not hold what it is kept under: a store that nobody has open takes its reader along.
            reader = self._readers[store] = QueryReader(proxy(store))
        return reader

    def close(self) -> None:
        """Ends the threads."""
        self._workers.close()

    async def _answer(self, run_id: str, build: str, ask: Callable[[RunStore], Steps[T]]) -> T:
        run = await self._registry.find(run_id)
        with self._registry.lease(run.id, build) as store:
            return await self._workers.answer(ask(store))


async def gather_events(parts: AsyncGenerator[EventPart, None], limit: int) -> tuple[Sequence[EventPart], bool]:
    """So many events, and whether there are more. Closes the parts."""
    taken: list[EventPart] = []
    left = limit
    async with aclosing(parts) as rest:
        async for part in rest:
            if len(part.events) > left:
                if left:
                    taken.append(EventPart(part.events.take(slice(left)), part.names))
                return taken, True
            taken.append(part)
            left -= len(part.events)
    return taken, False


def _event_parts(reader: QueryReader, request: EventsRequest) -> Iterator[EventPart]:
    span = _within(span_of(request.start, request.end), reader)
    after = request.after
    reading = Reading(reader)
    named: set[int] = set()
    for track in reader.tree.leaves(request.tracks, EVENT_KINDS):
        if after is not None and track < after.track:
            continue
        resumed = after is not None and track == after.track
        first = max(span.start, after.start) if after is not None and resumed else span.start
        plan = reader.plan(track, TickRange(first, span.stop))
        for events in reading.events(plan, plan.leaf_runs):
            if after is not None and resumed:
                events = events.take(events.ordinal > after.ordinal)
            new = set(events.name.tolist()) - named
            named |= new
            yield EventPart(events, reader.names.of(new))


def _within(span: TickRange, reader: QueryReader) -> TickRange:
    """The part of a span that the run has; events that start at its last tick are in it."""
    stop = min(span.stop, reader.end + 1)
    return TickRange(min(span.start, stop), stop)
