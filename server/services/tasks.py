"""What is looked for in a build, as values that travel to the process that looks. Steps return what `encode` makes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tilescope.server.services.requests import EventsRequest, StatsRequest, span_of
from tilescope.tiler.query import Events, FindQuery, Name, QueryReader, Reading, Steps, find, stats
from tilescope.tiler.resolver import TickRange

Encode = Callable[[dict[str, Any]], Any]  # a function of a module

EVENT_KINDS = frozenset({"slice", "async", "instant", "counter"})


@dataclass(frozen=True, slots=True)
class EventPart:
    """Some events of one track, and their names as far as the parts before had not named them."""

    events: Events
    names: dict[int, Name]


@dataclass(frozen=True, slots=True)
class StatsTask:
    """Statistics by name, as docs/api.md has them."""

    request: StatsRequest
    encode: Encode

    def __call__(self, reader: QueryReader) -> Steps[Any]:
        span = _within(span_of(self.request.start, self.request.end), reader)
        found = yield from stats(reader, span, self.request.tracks, self.request.limit)
        return self.encode(found.to_json())


@dataclass(frozen=True, slots=True)
class FindTask:
    """Occurrences of a name, as docs/api.md has them."""

    query: FindQuery
    encode: Encode

    def __call__(self, reader: QueryReader) -> Steps[Any]:
        found = yield from find(reader, self.query)
        return self.encode(found.to_json())


@dataclass(frozen=True, slots=True)
class EventsTask:
    """The first events of a span in the order (track, ordinal), and whether there are more."""

    request: EventsRequest
    limit: int
    encode: Callable[[Sequence[EventPart], bool], Any]

    def __call__(self, reader: QueryReader) -> Steps[Any]:
        taken: list[EventPart] = []
        left = self.limit
        has_more = False
        for part in _event_parts(reader, self.request):
            if len(part.events) > left:
                has_more = True
                if left:
                    taken.append(EventPart(part.events.take(slice(left)), part.names))
                break
            taken.append(part)
            left -= len(part.events)
            yield
        return self.encode(taken, has_more)


@dataclass(frozen=True, slots=True)
class EncodingTask:
    """What takes longer to write than the event loop may stand still."""

    encode: Callable[[], Any]

    def __call__(self, reader: QueryReader) -> Steps[Any]:
        yield from ()
        return self.encode()


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
