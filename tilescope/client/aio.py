"""A run of the asynchronous client. `tilescope.client.sync` is the same without `await`."""

from __future__ import annotations

import operator
import zlib
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, SupportsIndex

import msgspec
import numpy as np
from numpy.typing import NDArray

from tilescope.client.answers import FindAnswer, SearchAnswer, StatsAnswer, ToolAnswer, hits_table
from tilescope.client.errors import ClientError, whole
from tilescope.client.event import Event
from tilescope.client.event_columns import EVENT_COLUMNS, are_on_pages, at_most, event_pages, joined
from tilescope.client.kinds import Match, StatsBy, TrackKind
from tilescope.client.question_fields import Asked, StepsLike, question_fields, steps_text
from tilescope.client.source import Build, RunSource, Value
from tilescope.client.sql_table import sql_table
from tilescope.client.stored import StoredRun
from tilescope.client.tables import Table
from tilescope.client.times import Amount, Time, span_of, ticks_of, ticks_of_amounts, time_text, timedelta_of
from tilescope.client.tracks import Track, TrackList, Tracks, id_of, ids_of, tracks_of
from tilescope.client.view import RunView, make_view, used_names
from tilescope.tiler.overloads import overload
from tilescope.tiler.pages import PageKey
from tilescope.tiler.query import EVENT_KINDS, EventPlan, TrackTree, view_tiles
from tilescope.tiler.query.event_columns import EventColumns
from tilescope.tiler.resolver import TickRange, TrackRequest, View, sharp_level
from tilescope.tiler.schema import MOST_SQL_ROWS, ToolEntry
from tilescope.tiler.store.attachments import AttachmentEntry, find
from tilescope.tiler.tables.event_rows import needed
from tilescope.tiler.tables.table import BATCH_ROWS
from tilescope.tiler.tools import Answer
from tilescope.tiler.tools.argument_names import text_of_names
from tilescope.tiler.windows import Windows, WindowsOf, everywhere

if TYPE_CHECKING:
    from tilescope.tiler.sql import SqlAnswer

# Occurrences that one answer of a search lists at most.
_FIND_AT_ONCE = 100_000

# Hits of one table of `hit_batches`.
_HITS_AT_ONCE = 16_384


class AsyncRun:
    """One build of a run. Times are ticks since `origin_ns`; a tick is `tick_ps` picoseconds.

    A time may also be given as text with a unit ("0.1 s") or as a timedelta of Python, numpy or pandas.
    """

    def __init__(self, source: RunSource, manifest: dict[str, Any]) -> None:
        self._source = source
        self._take(manifest)

    def _take(self, manifest: dict[str, Any]) -> None:
        self.manifest = manifest
        self.id: str = manifest["run"]
        self.name: str = manifest["name"]
        self.build: str = manifest["build"]
        self.tick_ps: int = manifest["tick_ps"]
        self.origin_ns = int(manifest["origin_ns"])
        self.start = int(manifest["start"])
        self.end = int(manifest["end"])  # the last tick of any event
        self._root_level: int = manifest["root_level"]
        self._build = Build(self.id, self.build)
        self._stored = StoredRun(self._source, self._build, manifest["names"]["page_size"])
        self._attachments: list[AttachmentEntry] | None = None

    def ticks(
        self,
        time: Time = 0,
        /,
        *,
        ps: Amount = 0,
        ns: Amount = 0,
        us: Amount = 0,
        ms: Amount = 0,
        s: Amount = 0,
    ) -> int:
        """A duration in ticks: `ticks("0.1 s")`, `ticks(ms=2.5)`, `ticks(timedelta(seconds=1))`.

        A float means its shortest decimal: 0.1 is a tenth. Raises UsageError if it is not a whole number of ticks.
        """
        amounts = {"ps": ps, "ns": ns, "us": us, "ms": ms, "s": s}
        return ticks_of(time, self.tick_ps) + ticks_of_amounts(amounts, self.tick_ps)

    def time_text(self, ticks: SupportsIndex) -> str:
        """The ticks in the unit that fits, exactly: "2.5 ms". `ticks` reads it back."""
        return time_text(ticks, self.tick_ps)

    @overload
    def timedelta(self, ticks: NDArray[np.int64]) -> NDArray[np.timedelta64]: ...
    @overload
    def timedelta(self, ticks: int | np.integer[Any]) -> np.timedelta64: ...
    def timedelta(self, ticks: int | np.integer[Any] | NDArray[np.int64]) -> np.timedelta64 | NDArray[np.timedelta64]:
        """The ticks as a timedelta of numpy, exactly; a whole column at once."""
        return timedelta_of(ticks, self.tick_ps)

    @property
    def ref(self) -> str:
        """The name of this build in a question to another one: `run.ask("…", against=other)`."""
        return self._source.ref(self._build)

    async def tracks(
        self, *, kind: TrackKind | None = None, name: str | None = None, containing: str = ""
    ) -> TrackList:
        """The tracks by id: all, or those of one kind, of exactly this name, with a text in it (whatever its case)."""
        tree = await self._stored.tree()
        return tracks_of(tree.groups, tree.tracks).only(kind, name, containing)

    async def tree(self) -> TrackTree:
        """The groups of hosts and processes, and the tracks, in screen order."""
        return await self._stored.tree()

    async def view(
        self, start: Time | None = None, end: Time | None = None, px: int = 1000, tracks: Tracks = None
    ) -> RunView:
        """Pages that a viewer draws of tracks (by default all but rollups) in the ticks [start, end) at `px` pixels.

        A bin is half a pixel to two pixels wide. Raises UsageError for a span without ticks or an unknown track.
        """
        span = await self._span(start, end)
        view = View.of_span(*span, px)
        level = sharp_level(view.ticks_per_px, self._root_level)
        tree = await self._stored.tree()
        requested_ids = ids_of(tracks)
        shown = tree.leaves(None, EVENT_KINDS) if requested_ids is None else list(dict.fromkeys(requested_ids))
        requests = [TrackRequest(track, tree.kind(track)) for track in shown]
        tiles = [
            tile
            for request in requests
            for tile in view_tiles(await self._stored.tiles_of(request.track), request, span, level, self._root_level)
        ]
        pages, sizes = await self._stored.exact_pages(dict.fromkeys(tile.page for tile in tiles))
        return make_view(span, level, tiles, pages, sizes, await self._stored.name_texts(used_names(tiles, pages)))

    async def events(
        self,
        start: Time | None = None,
        end: Time | None = None,
        tracks: Tracks = None,
        *,
        limit: int | None = None,
        columns: Sequence[str] | None = None,
        name: str | None = None,
        where: str | None = None,
        steps: StepsLike | None = None,
        step_name: str | None = None,
    ) -> Table:
        """The events that overlap the ticks [start, end), by track and ordinal; at most `limit`, by default all.

        `columns` names those of the table: beside its usual ones `event`, `end`, and `args.KEY` for an argument. `name`
        is that of all events, exactly; `where` is a search: "arg:flops>1000 dur>1ms". A rollup stands for its tracks.
        `steps` are those of training: 5, (5, 9) or "5-9", on each track as its device or host has them; `step_name`
        says which slices they are if the trace does not mark them. Raises UsageError for an unknown track, for steps
        that do not exist, and for a search that cannot be read.
        """
        if name is not None or where is not None or not are_on_pages(columns):
            question = await self._asked_events(start, end, tracks, name, where, steps, step_name)
            return joined([page async for page in event_pages(self._source, self._build, columns, question, limit)])
        chosen = EVENT_COLUMNS if columns is None else columns
        async with aclosing(self._event_parts(start, end, tracks, steps, step_name, chosen)) as events:
            return await self._stored.events_table(await at_most(events, limit), chosen)

    async def event_batches(
        self,
        start: Time | None = None,
        end: Time | None = None,
        tracks: Tracks = None,
        *,
        columns: Sequence[str] | None = None,
        name: str | None = None,
        where: str | None = None,
        steps: StepsLike | None = None,
        step_name: str | None = None,
    ) -> AsyncGenerator[Table, None]:
        """The same events in tables of at least 260,000, one after the other: for more than fits into memory.

        With `name`, `where` or arguments in tables of 100,000, in each of which an argument has the type of what it is
        there.
        """
        if name is not None or where is not None or not are_on_pages(columns):
            question = await self._asked_events(start, end, tracks, name, where, steps, step_name)
            async for page in event_pages(self._source, self._build, columns, question, None):
                yield joined([page])
            return
        chosen = EVENT_COLUMNS if columns is None else columns
        parts, count = list[EventColumns](), 0
        async for part in self._event_parts(start, end, tracks, steps, step_name, chosen):
            parts.append(part)
            count += len(part)
            if count >= BATCH_ROWS:
                yield await self._stored.events_table(parts, chosen)
                parts, count = [], 0
        if parts:
            yield await self._stored.events_table(parts, chosen)

    async def event(self, track: SupportsIndex | Track, ordinal: SupportsIndex) -> Event:
        """One event with its arguments and flows. Raises `Refused` if there is no such event."""
        return Event.from_json(await self._source.event(self._build, id_of(track), operator.index(ordinal)))

    async def attachments(self) -> list[AttachmentEntry]:
        """Attachments, kept beside the events, by id: HLO protos, stats of planes, members of a JSON trace."""
        if self._attachments is None:
            self._attachments = [
                AttachmentEntry.from_json(entry) for entry in await self._source.attachments(self._build)
            ]
        return self._attachments

    async def attachment(self, name: str | AttachmentEntry, *, host: str | None = None) -> bytes:
        """The content of the attachment with this name; `host` says whose, if several hosts have one.

        Raises UsageError if there is none, or more than one; for large ones use `attachment_pieces`.
        """
        return b"".join([piece async for piece in self.attachment_pieces(name, host=host)])

    async def attachment_pieces(
        self, name: str | AttachmentEntry, *, host: str | None = None
    ) -> AsyncGenerator[bytes, None]:
        """The same, piece by piece, for content larger than memory. Raises `ClientError` if it arrived damaged."""
        entry = name if isinstance(name, AttachmentEntry) else find(await self.attachments(), name, host)
        crc32 = 0
        async with aclosing(self._source.attachment(self._build, entry.id)) as pieces:
            async for piece in pieces:
                crc32 = zlib.crc32(piece, crc32)
                yield piece
        if crc32 != entry.crc32:
            raise ClientError(f"{entry.name}: its CRC-32 is {crc32:08x}, not {entry.crc32:08x}: ask for it again")

    async def stats(
        self,
        start: Time | None = None,
        end: Time | None = None,
        tracks: Tracks = None,
        *,
        by: StatsBy = "name",
        argument: str | None = None,
        sum: Sequence[str] | None = None,
        limit: int = 1000,
        steps: StepsLike | None = None,
        step_name: str | None = None,
    ) -> StatsAnswer:
        """Exact sums of the ticks [start, end) by name, the busiest first. Steps as in `events`.

        With by="argument" by the values of this `argument`. `sum` names arguments whose numbers are summed up, too,
        over the events that start there: columns `sum.KEY`.
        """
        span = await self._span(start, end)
        chosen: dict[str, Asked] = {"by": by, "steps": steps_text(steps), "step_name": step_name}
        chosen |= {"argument": argument, "sum": text_of_names(sum) if sum else None}
        return StatsAnswer.from_answer(
            whole(await self._ask("stats", start=span.start, end=span.stop, tracks=tracks, limit=limit, **chosen))
        )

    async def find(
        self,
        text: str,
        start: Time | None = None,
        end: Time | None = None,
        tracks: Tracks = None,
        *,
        match: Match = "contains",
        limit: int | None = 1000,
        steps: StepsLike | None = None,
        step_name: str | None = None,
    ) -> FindAnswer:
        """Occurrences of names that contain a text, or are it (`match="exact"`): the count, and the first by time.

        Of the events that start in [start, end). `limit=None` lists all of them. Steps as in `events`. Raises
        UsageError.
        """
        span = await self._span(start, end)
        chosen: dict[str, Asked] = {"steps": steps_text(steps), "step_name": step_name}
        answers: list[Answer] = []
        after: str | None = None
        listed = 0
        while True:
            at_once = _FIND_AT_ONCE if limit is None else min(limit - listed, _FIND_AT_ONCE)
            fields = {"start": span.start, "end": span.stop, "tracks": tracks, "match": match, "limit": at_once}
            answers.append(whole(await self._ask("find", text=text, after=after, **fields, **chosen)))
            events = answers[-1].table("events")
            listed += len(events)
            after = events.more
            if after is None or (limit is not None and listed >= limit):
                return FindAnswer.from_answers(answers)

    async def search(
        self,
        query: str,
        start: Time | None = None,
        end: Time | None = None,
        tracks: Tracks = None,
        *,
        limit: int | None = 1000,
        names: int = 100,
        after: str | None = None,
        backward: bool = False,
        steps: StepsLike | None = None,
        step_name: str | None = None,
    ) -> SearchAnswer:
        """The events that a query selects (docs/search.md): count, time and names of all; the first of them by time.

        Of the events that start in [start, end). `limit=None` lists all; `names` is how many names are listed. `after`
        is a place, "start,track,ordinal", that the list begins behind; with `backward` it goes back from there, or from
        the end, latest first. Steps as in `events`. Raises UsageError, which says where a query makes no sense.
        """
        same: dict[str, Asked] = {"tracks": tracks, "backward": backward, "steps": steps_text(steps)}
        same["step_name"] = step_name
        hits = self._hits(query, await self._span(start, end), limit, {"names": names, "after": after}, same)
        return SearchAnswer.from_answers([answer async for answer in hits])

    async def hit_batches(
        self,
        query: str,
        start: Time | None = None,
        end: Time | None = None,
        tracks: Tracks = None,
        *,
        after: str | None = None,
        backward: bool = False,
        steps: StepsLike | None = None,
        step_name: str | None = None,
    ) -> AsyncGenerator[Table, None]:
        """The same events in tables of at most 16,384, one after the other: what is not taken is not looked for."""
        same: dict[str, Asked] = {"tracks": tracks, "backward": backward, "steps": steps_text(steps)}
        same["step_name"] = step_name
        first_fields: dict[str, Asked] = {"totals": False, "after": after}
        hits = self._hits(query, await self._span(start, end), None, first_fields, same, _HITS_AT_ONCE)
        async with aclosing(hits):
            async for answer in hits:
                if len(answer.table("events")):
                    yield hits_table([answer])

    async def tools(self) -> list[ToolEntry]:
        """All tools: `available` for this run or the `reason` why not, `fields` that `ask` takes, `title`, `help`."""
        return msgspec.convert(await self._source.tools(self._build), list[ToolEntry])

    async def ask(self, tool: str, /, **values: Asked) -> ToolAnswer:
        """The answer of a tool: see docs/tools.md. Fields of the question that are None are left out.

        A field that names another build takes a run of the same server; of a client that reads a store on this machine,
        a run of any other store, or its path. `answer.table("…")` is one of its tables, `answer.fact("…").value` a
        figure. Raises UsageError for a question that makes no sense, `Refused` for an unknown tool.
        """
        return ToolAnswer(await self._ask(tool, **values))

    async def sql(self, statement: str) -> Table:
        """The rows of a statement that selects (docs/sql.md). Raises UsageError, also for more than 10,000.

        A server over HTTP runs it where it was started with --allow-sql; over gRPC there is none.
        """
        return sql_table(await self.sql_answer(statement))

    async def sql_answer(self, statement: str, rows: int = MOST_SQL_ROWS) -> SqlAnswer:
        """The first rows of a statement, with the types of its columns. Raises as `sql`, but for more rows."""
        return await self._source.sql(self._build, statement, rows)

    def __repr__(self) -> str:
        events, tracks = int(self.manifest["events"]["total"]), self.manifest["tracks"]
        length = time_text(self.end - self.start, self.tick_ps)
        return f"<{type(self).__name__} {self.name!r}: {events:,} events on {tracks:,} tracks, {length}>"

    async def _asked_events(
        self,
        start: Time | None,
        end: Time | None,
        tracks: Tracks,
        name: str | None,
        where: str | None,
        steps: StepsLike | None,
        step_name: str | None,
    ) -> dict[str, Value]:
        span = await self._span(start, end)
        chosen: dict[str, Asked] = {"name": name, "where": where, "steps": steps_text(steps), "step_name": step_name}
        return self._values("events", start=span.start, end=span.stop, tracks=tracks, **chosen)

    async def _ask(self, tool: str, **values: Asked) -> Answer:
        return await self._source.ask(self._build, tool, self._values(tool, **values))

    def _values(self, tool: str, /, **values: Asked) -> dict[str, Value]:
        return question_fields(tool, values, self.tick_ps)

    async def _hits(
        self,
        query: str,
        span: TickRange,
        limit: int | None,
        first: dict[str, Asked],
        same: dict[str, Asked],
        at_once: int = _FIND_AT_ONCE,
    ) -> AsyncGenerator[Answer, None]:
        """The answers of a search, page by page; `first` is asked in the first of them alone."""
        listed = 0
        while True:
            few = at_once if limit is None else min(limit - listed, at_once)
            fields = {"start": span.start, "end": span.stop, "limit": few, **same, **first}
            answer = whole(await self._ask("search", query=query, **fields))
            yield answer
            events = answer.table("events")
            listed += len(events)
            if events.more is None or (limit is not None and listed >= limit):
                return
            first = {"totals": False, "after": events.more}

    async def _span(self, start: Time | None, end: Time | None) -> TickRange:
        if self.manifest["state"] != "ready":  # it may be longer by now
            self._take(await self._source.manifest(self.id))
        return span_of(start, end, TickRange(self.start, self.end + 1), self.tick_ps)

    async def _event_parts(
        self,
        start: Time | None,
        end: Time | None,
        tracks: Tracks,
        steps: StepsLike | None,
        step_name: str | None,
        columns: Sequence[str],
    ) -> AsyncGenerator[EventColumns, None]:
        """The events page by page, with what these columns are made from."""
        on_pages, kept = needed(columns), dict[PageKey, bytes]()
        windows_of = await self._windows(await self._span(start, end), tracks, steps, step_name)
        tree = await self._stored.tree()
        for track in tree.leaves(ids_of(tracks), EVENT_KINDS):
            if tree.tracks[track].events == 0:
                continue
            plan = EventPlan(await self._stored.tiles_of(track), track, windows_of(track), self._root_level)
            async for part in self._stored.read(plan, on_pages, kept, is_counter=tree.tracks[track].kind == "counter"):
                if len(part):
                    yield part

    async def _windows(
        self, span: TickRange, tracks: Tracks, steps: StepsLike | None, step_name: str | None
    ) -> WindowsOf:
        """Time windows that are looked at on each track. Raises UsageError where no slice is called `step_name`."""
        fields: dict[str, Asked] = {"start": span.start, "end": span.stop, "tracks": tracks}
        chosen: dict[str, Asked] = {"steps": steps_text(steps), "step_name": step_name}
        if steps is None:
            if step_name is not None:
                await self._ask("steps", limit=0, **fields, **chosen)
            return everywhere(Windows.single(*span))
        answer = whole(await self._ask("steps", limit=0, per_track=True, **fields, **chosen))
        table = answer.table("tracks")
        track, start, stop = (np.asarray(table.column(name).values, np.int64) for name in ("track", "start", "end"))
        return lambda wanted: Windows.from_spans(start[track == wanted], stop[track == wanted])
