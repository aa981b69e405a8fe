"""The events of a question as trace-event JSON, which Perfetto and chrome://tracing open, and Tilescope itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from tilescope.tiler.errors import NotBuilt
from tilescope.tiler.export.cursor import Cursor
from tilescope.tiler.export.event_text import args_text, joined, microseconds, quoted, value_text
from tilescope.tiler.export.threads import Threads
from tilescope.tiler.pages import decompress
from tilescope.tiler.pages.flow_ends import FlowEnds
from tilescope.tiler.query import EVENT_KINDS, Events, QueryReader, Reading, Steps, finish
from tilescope.tiler.tools import Scope, SpanQuestion
from tilescope.tiler.tools.looked import Looked

PIECE_BYTES: Final = 4 << 20  # about: a piece ends with a page of events, or a chunk of flow ends

_EVENTS_A_STEP: Final = 1000  # some ten milliseconds

# The first event names nothing: so every other one begins with the comma that parts it from the one before.
_HEAD: Final = (
    '{"displayTimeUnit":"ns","baseTimeNanoseconds":%s,"traceEvents":[\n{"ph":"M","name":"trace","pid":0,"args":{}}'
)
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
    export = _Export(reader, looked, tracks, Threads(reader.tree), int(reader.store.manifest()["tick_ps"]))
    parts = []
    if cursor is None:
        cursor = Cursor()
        parts = [export.head()]
    size = 0
    while size < piece_bytes:
        if cursor.track == len(tracks):
            if cursor.flows:
                return b"".join([*parts, _TAIL]), None
            cursor.flows = True
            cursor.track = 0
            continue
        piece = export.flows(cursor) if cursor.flows else (yield from export.events(cursor))
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


@dataclass(frozen=True, slots=True)
class _Export:
    reader: QueryReader
    looked: Looked
    tracks: list[int]
    threads: Threads
    tick_ps: int

    def head(self) -> bytes:
        """What stands before the first event, and the names of processes and threads."""
        origin = self.reader.store.manifest()["origin_ns"]
        return (_HEAD % int(origin)).encode() + joined(self.threads.named(self.tracks))

    def events(self, cursor: Cursor) -> Steps[bytes]:
        """The events of the next page of leaves of a track. Moves the cursor."""
        track = self.tracks[cursor.track]
        plan = self.reader.plan(track, self.looked.of(track))
        if cursor.leaf_run == len(plan.leaf_runs):
            cursor.next_track()
            return b""
        (events,) = Reading(self.reader).events(plan, plan.leaf_runs[cursor.leaf_run : cursor.leaf_run + 1])
        cursor.leaf_run += 1
        texts = []
        for first in range(0, len(events), _EVENTS_A_STEP):
            some = events.take(slice(first, first + _EVENTS_A_STEP))
            texts.append(joined(self._texts(some, cursor)))
            yield
        return b"".join(texts)

    def flows(self, cursor: Cursor) -> bytes:
        """The flows of the next chunk of a track that lie wholly in what is looked at. Moves the cursor."""
        track = self.tracks[cursor.track]
        chunks = self.reader.store.flow_end_chunks(track)
        chunk = next((chunk for number, chunk in enumerate(chunks) if number == cursor.leaf_run), None)
        if chunk is None:
            cursor.next_track()
            return b""
        ends = FlowEnds.decode(decompress(chunk), track)
        text = joined(self._flow_texts(track, ends, cursor))
        cursor.leaf_run += 1
        return text

    def _texts(self, events: Events, cursor: Cursor) -> Iterator[str]:
        kind = self.reader.tree.tracks[events.track]["kind"]
        if kind == "counter":
            yield from self._samples(events)
            return
        write: Callable[..., Iterator[str]] = {"slice": self._slice, "async": self._async, "instant": self._instant}[
            kind
        ]
        names = self.reader.names.of(events.name.tolist())
        args = self.reader.store.arguments(events.track, events.ordinal.tolist())
        columns = (events.ordinal, events.start, events.duration, events.name)
        for (ordinal, start, duration, name), its_args in zip(
            zip(*(column.tolist() for column in columns), strict=True), args, strict=True
        ):
            text, category = names[name]
            what = f'"name":{quoted(text)}'
            if category:
                what += f',"cat":{quoted(category)}'
            # Where the trace was JSON, the category is the last of the arguments as well.
            told = [argument for argument in its_args if argument != ("cat", category)]
            if told:
                what += f',"args":{args_text(told)}'
            yield from write(events.track, ordinal, start, duration, what, cursor)

    def _slice(self, track: int, ordinal: int, start: int, duration: int, what: str, cursor: Cursor) -> Iterator[str]:
        lanes = len(cursor.lanes)
        lane = cursor.lanes.place(start, start + duration)
        if lane:
            cursor.moved[track, ordinal] = lane
            if lane >= lanes:
                yield from self.threads.named_lane(track, lane)
        yield f'{{"ph":"X",{what},{self._at(track, start, lane)},"dur":{self._us(duration)}}}'

    def _async(self, track: int, ordinal: int, start: int, duration: int, what: str, _: Cursor) -> Iterator[str]:
        # Begin and end are told from others by the category, too.
        ids = f'"id":"{track + 1:#x}{ordinal:010x}"' + ("" if '"cat":' in what else ',"cat":"async"')
        yield f'{{"ph":"b",{what},{ids},{self._at(track, start)}}}'
        what = what.split(',"args":', 1)[0]
        yield f'{{"ph":"e",{what},{ids},{self._at(track, start + duration)}}}'

    def _instant(self, track: int, _ordinal: int, start: int, _duration: int, what: str, _: Cursor) -> Iterator[str]:
        yield f'{{"ph":"i","s":"t",{what},{self._at(track, start)}}}'

    def _samples(self, events: Events) -> Iterator[str]:
        track = events.track
        told = self.reader.tree.tracks
        name = quoted(self.threads.name(track))
        alike = (told[track]["group"], told[track]["name"])
        namesakes = sum(t["kind"] == "counter" and (t["group"], t["name"]) == alike for t in told)
        which = f'"name":{name},"id":{track}' if namesakes > 1 else f'"name":{name}'
        for start, value in zip(events.start.tolist(), events.value.tolist(), strict=True):
            at = f'"pid":{self.threads.pid(track)},"ts":{self._us(start)}'
            yield f'{{"ph":"C",{which},{at},"args":{{"value":{value_text(value)}}}}}'

    def _flow_texts(self, track: int, ends: FlowEnds, cursor: Cursor) -> Iterator[str]:
        there = set(self.tracks)
        ends = ends.take((ends.incoming == 0) & self.looked.of(track).hold(ends.tick))
        for k in range(len(ends)):
            partner = int(ends.partner_track[k])
            arrives = ends.partner_tick[k : k + 1]
            if partner not in there or not self.looked.of(partner).hold(arrives)[0]:
                continue
            what = f'"name":"flow","cat":"flow","id":"{track + 1:#x}{cursor.leaf_run:06x}{k:06x}"'
            lane = cursor.moved.get((track, int(ends.ordinal[k])), 0)
            yield f'{{"ph":"s",{what},{self._at(track, int(ends.tick[k]), lane)}}}'
            lane = cursor.moved.get((partner, int(ends.partner_ordinal[k])), 0)
            yield f'{{"ph":"f","bp":"e",{what},{self._at(partner, int(arrives[0]), lane)}}}'

    def _at(self, track: int, tick: int, lane: int = 0) -> str:
        return f'"pid":{self.threads.pid(track)},"tid":{self.threads.tid(track, lane)},"ts":{self._us(tick)}'

    def _us(self, ticks: int) -> str:
        return microseconds(ticks * self.tick_ps)
