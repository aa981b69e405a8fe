"""The events of a question as trace-event JSON, which Perfetto and chrome://tracing open, and Tilescope itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Annotated, Final

from msgspec import Meta

from tilescope.tiler.columns import Phase
from tilescope.tiler.errors import NotBuilt, UsageError
from tilescope.tiler.export.cursor import Cursor
from tilescope.tiler.export.derived_lanes import DerivedLanes
from tilescope.tiler.export.event_row import EventRow
from tilescope.tiler.export.event_text import joined, quoted
from tilescope.tiler.export.file_members import members
from tilescope.tiler.export.flow_marks import FlowMarks
from tilescope.tiler.export.hosts import Hosts
from tilescope.tiler.export.ids import Ids
from tilescope.tiler.export.labels import Labels
from tilescope.tiler.export.made_events import MadeEvents
from tilescope.tiler.export.source_events import SourceEvents
from tilescope.tiler.export.times import Times
from tilescope.tiler.lookup.origins import origins, written_flow_arguments, written_flows
from tilescope.tiler.lookup.tracks import file_of_tracks
from tilescope.tiler.query import EVENT_KINDS, ArgumentReader, Events, Interruptible, QueryReader, Reading, finish
from tilescope.tiler.query.names import Name
from tilescope.tiler.tools import Scope, SpanQuestion
from tilescope.tiler.tools.lanes.named_lanes import ChosenLane, LaneIds, chosen_lanes
from tilescope.tiler.tools.question_windows import QuestionWindows

PIECE_BYTES: Final = 4 << 20  # about: a piece ends with a page of events

_EVENTS_A_STEP: Final = 1000  # some ten milliseconds

_TAIL: Final = b"\n]}\n"

_FLOW_PHASES: Final = {Phase.FLOW_START: "s", Phase.FLOW_STEP: "t", Phase.FLOW_END: "f"}

_NAMELESS: Final = "[no name]"  # as events without a name are called


class ExportQuestion(SpanQuestion, frozen=True, kw_only=True):
    """The events that overlap a span or steps, whole; of all tracks, or of some; and derived lanes."""

    lanes: Annotated[
        LaneIds | None,
        Meta(
            description="Derived lanes that go with them, by their ids with commas between, as in overlap.2,queues.3. "
            "They are marked, and left out where the file is read again.",
        ),
    ] = None

    @property
    def is_whole(self) -> bool:
        """True if it is about all events of the run, with lanes or without."""
        return self.start is None and self.end is None and self.steps is None and self.tracks is None


def next_piece(
    reader: QueryReader, question: ExportQuestion, cursor: Cursor | None, piece_bytes: int = PIECE_BYTES
) -> Interruptible[tuple[bytes, Cursor | None]]:
    """The first piece of the file (`cursor` None), or the next; and the cursor of the one after it, None at the end.

    Raises UsageError for tracks, steps and a span that there are not, NotBuilt while the run is indexed, DamagedStore.
    """
    if reader.store.is_growing:
        raise NotBuilt("the run is still being indexed: export it when that is done")
    scope = Scope(reader)
    scope_windows = yield from scope.windows(question)
    if (words := scope.outside_text(question)) is not None:
        raise UsageError(words)
    tracks = [t for t in reader.tree.leaves(question.tracks, EVENT_KINDS) if reader.tree.tracks[t].events != 0]
    lane_scope = scope.without_outliers()
    lanes = yield from chosen_lanes(lane_scope, question.lanes)
    export = _Export(lane_scope, lanes, reader, scope_windows, tracks, is_whole=question.is_whole)
    head, parts = b"", []
    if cursor is None:
        cursor = Cursor()
        head = b"".join([b"{", *members(Scope(reader), export.origins, export.hosts), export.head()])
        parts = [export.labels()]
    size = 0
    is_last = False
    while size < piece_bytes and not is_last:
        piece = yield from export.events(cursor)
        is_last = piece is None
        parts.append(piece or b"")
        size += len(parts[-1])
        yield
    body = b"".join(parts)
    if body and not cursor.begun:
        cursor.begun = True
        body = body.removeprefix(b",")
    return head + body + (_TAIL if is_last else b""), None if is_last else cursor


def pieces(reader: QueryReader, question: ExportQuestion) -> Iterator[bytes]:
    """The whole file, piece by piece. Raises as `next_piece`."""
    cursor: Cursor | None = None
    while True:
        piece, cursor = finish(next_piece(reader, question, cursor))
        yield piece
        if cursor is None:
            return


class _Export:
    """Writes one piece. The next one may come from another process."""

    def __init__(
        self,
        lane_scope: Scope,
        lanes: Sequence[ChosenLane],
        reader: QueryReader,
        scope_windows: QuestionWindows,
        tracks: list[int],
        *,
        is_whole: bool,
    ) -> None:
        self._reader = reader
        self._tracks = tracks
        self._is_whole = is_whole
        self.origins = origins(reader.store)
        files = file_of_tracks(reader.store)
        self._times = Times(reader.manifest, self.origins)
        ids = Ids(reader.tree, self.origins, files)
        self.hosts = Hosts(reader.tree, self.origins, ids, files)
        self._labels = Labels(reader.tree, self.origins, ids, self.hosts, files)
        self._made = MadeEvents(reader, ids, self._labels, self._times)
        self._source = SourceEvents(ids, self.origins, files, self._times, tracks, is_whole=is_whole)
        span = lane_scope.within(scope_windows.span(tracks))
        self._lanes = DerivedLanes(lane_scope, lanes, span, ids.unused_pid, self._times)
        self._reading = Reading(reader)
        self._arguments = ArgumentReader(reader.store)
        self._flows = FlowMarks(reader.store, scope_windows, frozenset(tracks))
        # A track has many pages: where they are is looked up once.
        self._plan = lru_cache(1)(lambda track: reader.plan(track, scope_windows.on_track(track)))

    def head(self) -> bytes:
        """Text right before the first event."""
        base_ns = self._times.base_ns
        return (b'"baseTimeNanoseconds":%d,' % base_ns if base_ns else b"") + b'"traceEvents":['

    def labels(self) -> bytes:
        """The names of processes and threads."""
        named = [*self._labels.of_files(None if self._is_whole else self._tracks)]
        return joined([*named, *self._labels.of_tracks(self._tracks)])

    def events(self, cursor: Cursor) -> Interruptible[bytes | None]:
        """The events of the next page of leaves of a track, the next flow ends, or the next of a derived lane.

        None: all are written. Moves the cursor.
        """
        if cursor.track == len(self._tracks):
            flow_ends = self._flow_ends(cursor)
            return (yield from self._lane_events(cursor)) if flow_ends is None else flow_ends
        plan = self._plan(self._tracks[cursor.track])
        if cursor.leaf_run == len(plan.leaf_runs):
            cursor.next_track()
            return b""
        (events,) = self._reading.events(plan, plan.leaf_runs[cursor.leaf_run : cursor.leaf_run + 1])
        cursor.leaf_run += 1
        texts = []
        for first in range(0, len(events), _EVENTS_A_STEP):
            batch = events.take(slice(first, first + _EVENTS_A_STEP))
            texts.append(joined(self._texts(batch, cursor)))
            yield
        return b"".join(texts)

    def _texts(self, events: Events, cursor: Cursor) -> Iterator[str]:
        track = events.track
        has_origin = self.origins.tracks[track] is not None
        writer = self._source if has_origin else self._made
        # Of a whole trace-event file the flow ends are written as it has them.
        with_flows = self._reader.tree.tracks[track].kind == "slice" and not (has_origin and self._is_whole)
        ordinals = events.ordinal.tolist()
        names = self._reader.names.by_id(events.name.tolist())
        raw = self._arguments.raw(track, ordinals)
        flows = self._flows.marks_on(track, range(ordinals[0], ordinals[-1] + 1)) if with_flows else {}
        columns = (events.ordinal, events.start, events.duration, events.flags, events.value, events.name)
        for (ordinal, start, duration, flags, value, name), its_raw in zip(
            zip(*(column.tolist() for column in columns), strict=True), raw, strict=True
        ):
            what, ends = _what(names[name]), flows.get(ordinal, ())
            row = EventRow(ordinal, start, duration, flags, value, what, its_raw, ends)
            yield from writer.text(track, row, cursor)

    def _flow_ends(self, cursor: Cursor) -> bytes | None:
        """The next chunk of those that trace-event files have."""
        if not self._is_whole or cursor.carrier == len(self.origins.carriers):
            return None
        number, first = cursor.carrier, cursor.flow
        flows = written_flows(self._reader.store, number, first)
        if flows is None:
            cursor.next_carrier()
            return b""
        cursor.flow += len(flows)
        names = self._reader.names.by_id(flows.name.tolist())
        raw = written_flow_arguments(self._reader.store, number, first, len(flows))
        columns = (flows.phase, flows.name, flows.tick)
        return joined(
            self._source.flow_end(number, _FLOW_PHASES[Phase(phase)], _what(names[name]), tick, its_raw)
            for (phase, name, tick), its_raw in zip(
                zip(*(column.tolist() for column in columns), strict=True), raw, strict=True
            )
        )

    def _lane_events(self, cursor: Cursor) -> Interruptible[bytes | None]:
        if cursor.lane == len(self._lanes):
            return None
        text, cursor.lane_tick = yield from self._lanes.events(cursor.lane, cursor.lane_tick)
        if cursor.lane_tick is None:
            cursor.next_lane()
        return text


def _what(name: Name) -> str:
    """Members `name` and `cat`, each with a comma in front."""
    text = "" if name.text == _NAMELESS else f',"name":{quoted(name.text)}'
    return f'{text},"cat":{quoted(name.category)}' if name.category else text
