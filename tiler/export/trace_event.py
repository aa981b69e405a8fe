"""The events of a question as trace-event JSON, which Perfetto and chrome://tracing open, and Tilescope itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Final

from tilescope.tiler.errors import NotBuilt
from tilescope.tiler.export.cursor import Cursor
from tilescope.tiler.export.event_text import args_text, joined, microseconds, quoted, value_text
from tilescope.tiler.export.flow_marks import FlowMark, FlowMarks
from tilescope.tiler.export.members import members
from tilescope.tiler.export.threads import Threads
from tilescope.tiler.query import EVENT_KINDS, ArgumentReader, Events, QueryReader, Reading, Steps, finish
from tilescope.tiler.tools import Scope, SpanQuestion
from tilescope.tiler.tools.looked import Looked

PIECE_BYTES: Final = 4 << 20  # about: a piece ends with a page of events

_EVENTS_A_STEP: Final = 1000  # some ten milliseconds

# The first event names nothing: so every other one begins with the comma that parts it from the one before.
_FIRST: Final = b'"traceEvents":[\n{"ph":"M","name":"trace","pid":0,"args":{}}'
_TAIL: Final = b"\n]}\n"


class ExportQuestion(SpanQuestion, frozen=True, kw_only=True):
    """The events that overlap a span or steps, whole; of all tracks, or of some."""


def next_piece(
    reader: QueryReader, question: ExportQuestion, cursor: Cursor | None, piece_bytes: int = PIECE_BYTES
) -> Steps[tuple[bytes, Cursor | None]]:
    """The first piece of the file (`cursor` None), or the next; and the cursor of the one after it, None at the end.

    Raises UsageError for tracks and steps that there are not, NotBuilt while the run is indexed, DamagedStore.
    """
    if reader.store.is_growing:
        raise NotBuilt("the run is still being indexed: export it when that is done")
    looked = yield from Scope(reader).windows(question)
    tracks = [t for t in reader.tree.leaves(question.tracks, EVENT_KINDS) if reader.tree.tracks[t]["events"] != "0"]
    export = _Export(reader, looked, tracks)
    parts: list[bytes] = []
    if cursor is None:
        cursor = Cursor()
        parts = [b"{", *members(Scope(reader)), export.head()]
    size = 0
    while size < piece_bytes:
        if cursor.track == len(tracks):
            return b"".join([*parts, _TAIL]), None
        piece = yield from export.events(cursor)
        parts.append(piece)
        size += len(piece)
        yield
    return b"".join(parts), cursor


def pieces(reader: QueryReader, question: ExportQuestion) -> Iterator[bytes]:
    """The whole file, piece by piece. Raises as `next_piece`."""
    cursor: Cursor | None = None
    while True:
        piece, cursor = finish(next_piece(reader, question, cursor))
        yield piece
        if cursor is None:
            return


_Write = Callable[..., Iterator[str]]


class _Export:
    """Writes one piece. The next one may come from another process."""

    def __init__(self, reader: QueryReader, looked: Looked, tracks: list[int]) -> None:
        self._reader = reader
        self._tracks = tracks
        self._threads = Threads(reader.tree)
        self._tick_ps = int(reader.store.manifest()["tick_ps"])
        self._reading = Reading(reader)
        self._flows = FlowMarks(reader.store, looked, frozenset(tracks))
        # A track has many pages: where they are is looked up once.
        self._plan = lru_cache(1)(lambda track: reader.plan(track, looked.of(track)))

    def head(self) -> bytes:
        """What stands right before the first event, and the names of processes and threads."""
        origin = int(self._reader.store.manifest()["origin_ns"])
        return b'"baseTimeNanoseconds":%d,%b' % (origin, _FIRST) + joined(self._threads.named(self._tracks))

    def events(self, cursor: Cursor) -> Steps[bytes]:
        """The events of the next page of leaves of a track. Moves the cursor."""
        plan = self._plan(self._tracks[cursor.track])
        if cursor.leaf_run == len(plan.leaf_runs):
            cursor.next_track()
            return b""
        (events,) = self._reading.events(plan, plan.leaf_runs[cursor.leaf_run : cursor.leaf_run + 1])
        cursor.leaf_run += 1
        texts = []
        for first in range(0, len(events), _EVENTS_A_STEP):
            some = events.take(slice(first, first + _EVENTS_A_STEP))
            texts.append(joined(self._texts(some, cursor)))
            yield
        return b"".join(texts)

    def _texts(self, events: Events, cursor: Cursor) -> Iterator[str]:
        kind = self._reader.tree.tracks[events.track]["kind"]
        if kind == "counter":
            yield from self._samples(events)
            return
        writers: dict[str, _Write] = {"slice": self._slice, "async": self._async, "instant": self._instant}
        ordinals = events.ordinal.tolist()
        names = self._reader.names.of(events.name.tolist())
        args = ArgumentReader(self._reader.store).decoded(events.track, ordinals)
        flows = self._flows.of(events.track, range(ordinals[0], ordinals[-1] + 1))
        columns = (events.ordinal, events.start, events.duration, events.name)
        for (ordinal, start, duration, name), its_args in zip(
            zip(*(column.tolist() for column in columns), strict=True), args, strict=True
        ):
            what = f'"name":{quoted(names[name].text)}'
            if category := names[name].category:
                what += f',"cat":{quoted(category)}'
            if its_args:
                what += f',"args":{args_text(its_args)}'
            yield from writers[kind](events.track, ordinal, start, duration, what, cursor, flows.get(ordinal, ()))

    def _slice(
        self,
        track: int,
        ordinal: int,
        start: int,
        duration: int,
        what: str,
        cursor: Cursor,
        flows: Sequence[FlowMark],
    ) -> Iterator[str]:
        lanes = len(cursor.lanes)
        lane = cursor.lanes.place(start, start + duration)
        if lane and lane >= lanes:
            yield from self._threads.named_lane(track, lane)
        slice_ = f'{{"ph":"X",{what},{self._at(track, start, lane)},"dur":{self._us(duration)}}}'
        if not flows:
            yield slice_
            return
        # An end before its slice binds to the next one that begins; one after it to the innermost around its time.
        ahead = [flow.is_incoming and flow.tick <= start and cursor.lanes.is_first for flow in flows]
        for flow, is_ahead in zip(flows, ahead, strict=True):
            if is_ahead:
                yield self._flow(track, lane, flow, "")
        yield slice_
        for flow, is_ahead in zip(flows, ahead, strict=True):
            if not is_ahead:
                yield self._flow(track, lane, flow, ',"bp":"e"')

    def _async(self, track: int, ordinal: int, start: int, duration: int, what: str, *_: Any) -> Iterator[str]:
        # Begin and end are told from others by the category, too.
        ids = f'"id":"{track + 1:#x}{ordinal:010x}"' + ("" if '"cat":' in what else ',"cat":"async"')
        yield f'{{"ph":"b",{what},{ids},{self._at(track, start)}}}'
        what = what.split(',"args":', 1)[0]
        yield f'{{"ph":"e",{what},{ids},{self._at(track, start + duration)}}}'

    def _instant(self, track: int, _ordinal: int, start: int, _duration: int, what: str, *_: Any) -> Iterator[str]:
        yield f'{{"ph":"i","s":"t",{what},{self._at(track, start)}}}'

    def _samples(self, events: Events) -> Iterator[str]:
        which = self._threads.counter(events.track)
        for start, value in zip(events.start.tolist(), events.value.tolist(), strict=True):
            at = f'"pid":{self._threads.pid(events.track)},"ts":{self._us(start)}'
            yield f'{{"ph":"C",{which},{at},"args":{{"value":{value_text(value)}}}}}'

    def _flow(self, track: int, lane: int, flow: FlowMark, bound: str) -> str:
        phase = f'"f"{bound}' if flow.is_incoming else '"s"'
        at = self._at(track, flow.tick, lane)
        return f'{{"ph":{phase},"name":"flow","cat":"flow","id":"{flow.id}",{at}}}'

    def _at(self, track: int, tick: int, lane: int = 0) -> str:
        return f'"pid":{self._threads.pid(track)},"tid":{self._threads.tid(track, lane)},"ts":{self._us(tick)}'

    def _us(self, ticks: int) -> str:
        return microseconds(ticks * self._tick_ps)
