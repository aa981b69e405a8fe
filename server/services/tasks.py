"""Questions about a build, as values that travel to the process that answers. The work returns what `encode` makes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tilescope.server.services.requests import EventsQuestion
from tilescope.tiler.export import Cursor, ExportQuestion, GzipStream, next_piece
from tilescope.tiler.query import EVENT_KINDS, Events, Interruptible, Name, QueryReader, Reading
from tilescope.tiler.tools import Scope, place
from tilescope.tiler.tools.question_windows import QuestionWindows


@dataclass(frozen=True, slots=True)
class EventPart:
    """Some events of one track, and their names as far as the parts before had not named them."""

    events: Events
    names: dict[int, Name]


@dataclass(frozen=True, slots=True)
class EventsTask:
    """The first events of a span in the order (track, ordinal), and whether there are more."""

    request: EventsQuestion
    limit: int
    encode: Callable[[Sequence[EventPart], bool], Any]

    def __call__(self, reader: QueryReader) -> Interruptible[Any]:
        taken: list[EventPart] = []
        left = self.limit
        has_more = False
        scope = Scope(reader)
        scope_windows = yield from scope.windows(self.request)
        for part in _event_parts(reader, self.request, scope_windows):
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
class ExportPiece:
    """A piece of an exported file; and from where the next one goes on, None after the last."""

    data: bytes
    stream: GzipStream | None
    cursor: Cursor | None


@dataclass(frozen=True, slots=True)
class ExportTask:
    """The next piece of an exported file; the first one without a piece `after` which it comes."""

    question: ExportQuestion
    after: ExportPiece | None
    piece_bytes: int
    is_zipped: bool

    def __call__(self, reader: QueryReader) -> Interruptible[ExportPiece]:
        cursor = None if self.after is None else self.after.cursor
        text, cursor = yield from next_piece(reader, self.question, cursor, self.piece_bytes)
        if not self.is_zipped:
            return ExportPiece(text, None, cursor)
        stream = self.after.stream if self.after is not None and self.after.stream is not None else GzipStream()
        return ExportPiece(stream.piece(text, last=cursor is None), stream, cursor)


@dataclass(frozen=True, slots=True)
class EncodingTask:
    """Encoding that would take longer than the event loop may stand still."""

    encode: Callable[[], Any]

    def __call__(self, reader: QueryReader) -> Interruptible[Any]:
        yield from ()
        return self.encode()


def _event_parts(reader: QueryReader, request: EventsQuestion, scope_windows: QuestionWindows) -> Iterator[EventPart]:
    after = place(request.after)
    reading = Reading(reader)
    named: set[int] = set()
    for track in reader.tree.leaves(request.tracks, EVENT_KINDS):
        if after is not None and track < after.track:
            continue
        resumed = after is not None and track == after.track
        windows = scope_windows.on_track(track)
        if after is not None and resumed:
            windows = windows.clipped(after.start, windows.stop)
        plan = reader.plan(track, windows)
        for events in reading.events(plan, plan.leaf_runs):
            if after is not None and resumed:
                events = events.take(events.ordinal > after.ordinal)
            new = set(events.name.tolist()) - named
            named |= new
            yield EventPart(events, reader.names.by_id(new))
