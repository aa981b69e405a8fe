"""The asynchronous client. `tilescope.client.sync` is the same without `await`."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Sequence
from contextlib import aclosing
from types import TracebackType
from typing import Any, Protocol, Self, runtime_checkable

from tilescope.client.answers import FindAnswer, StatsAnswer, events_table
from tilescope.client.errors import Refused
from tilescope.client.progress import Progress
from tilescope.client.source import Build, Source, Value
from tilescope.client.tables import Table
from tilescope.client.tracks import Track, Tracks, ids_of, tracks_of
from tilescope.client.view import RunView, make_view, used_names, view_tiles
from tilescope.tiler.errors import UsageError
from tilescope.tiler.pages import (
    TRACKS_PER_BLOCK,
    Page,
    PageKey,
    Part,
    Shape,
    decode_columns,
    decompress,
    with_residual,
)
from tilescope.tiler.query import EventPlan, Events, TrackTree
from tilescope.tiler.resolver import TickRange, TileIndex, TrackRequest, View, sharp_level
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.tools import Answer
from tilescope.tiler.windows import Windows

# Kinds of tracks that hold events themselves.
_EVENT_KINDS = frozenset({"slice", "async", "instant", "counter"})

# Occurrences that one answer of a search lists at most.
_FIND_AT_ONCE = 10_000

# Pages that are kept decoded while events are read: leaves of neighbouring levels take turns.
_KEPT_PAGES = 4


@runtime_checkable
class Named(Protocol):
    """A run of either client."""

    @property
    def ref(self) -> str: ...


class AsyncClient:
    """A server, or a store on this machine. Close it, or use it with `async with`."""

    def __init__(self, source: Source) -> None:
        self._source = source

    async def runs(self) -> list[dict[str, Any]]:
        """The runs, newest first, as docs/api.md has them."""
        return await self._source.runs()

    async def run(self, name: str | None = None, *, wait: bool = False) -> AsyncRun:
        """Opens the run of that id or name; the newest that can be opened unless told.

        With `wait`, a run that is not indexed is indexed first. Raises `Refused`: without it, when there is no index.
        """
        found = await self._find(name)
        if wait and found["state"] != "ready":
            await self._source.index(found["id"])
            async for progress in self.watch(found["id"]):
                if progress.error is not None:
                    raise Refused("bad_trace", progress.error)
        return AsyncRun(self._source, await self._source.manifest(found["id"]))

    async def index(self, name: str) -> dict[str, Any]:
        """Has a run indexed before those that wait, or once more after a failure; the run as docs/api.md has it."""
        return await self._source.index((await self._find(name))["id"])

    async def watch(self, name: str) -> AsyncGenerator[Progress, None]:
        """How far the run of that id or name is, whenever it has come further; the last is `ready` or `failed`.

        Watching sets nothing going: `index` has a run indexed. As soon as there is a `build`, `run` opens it.
        """
        progress = Progress()
        async with aclosing(self._source.watch((await self._find(name))["id"])) as messages:
            async for message in messages:
                if message["type"] != "blocks":
                    progress = progress.after(message)
                    yield progress

    async def close(self) -> None:
        """Closes connections, or the store."""
        await self._source.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _find(self, name: str | None) -> dict[str, Any]:
        matching = [run for run in await self._source.runs() if name in (None, run["id"], run["name"])]
        if name is None:
            matching = [run for run in matching if run["build"] is not None] or matching
        if not matching:
            raise Refused("not_found", "there is no run" if name is None else f"there is no run {name!r}")
        return matching[0]


class AsyncRun:
    """One build of a run. Times are ticks, since `origin_ns`; a tick is `tick_ps` picoseconds."""

    def __init__(self, source: Source, manifest: dict[str, Any]) -> None:
        self._source = source
        self.manifest = manifest
        self.id: str = manifest["run"]
        self.name: str = manifest["name"]
        self.build: str = manifest["build"]
        self.tick_ps: int = manifest["tick_ps"]
        self.origin_ns = int(manifest["origin_ns"])
        self.start = int(manifest["start"])
        self.end = int(manifest["end"])  # the last tick of any event
        self._root_level: int = manifest["root_level"]
        self._page_size: int = manifest["names"]["page_size"]
        self._of = Build(self.id, self.build)
        self._tree: TrackTree | None = None
        self._tiles: dict[int, TileIndex] = {}
        self._names: dict[int, list[list[str]]] = {}

    def ticks(self, *, ns: int = 0, us: int = 0, ms: int = 0, s: int = 0) -> int:
        """So much time in ticks, rounded down."""
        return (((s * 1000 + ms) * 1000 + us) * 1000 + ns) * 1000 // self.tick_ps

    @property
    def ref(self) -> str:
        """What names this build in a question to another one: `run.ask("…", against=other)`."""
        return self._source.ref(self._of)

    async def tracks(self, *, kind: str | None = None, name: str | None = None) -> list[Track]:
        """The tracks by id; those of a kind, or whose name contains a text."""
        tree = await self._tree_of_tracks()
        tracks = tracks_of({"groups": tree.groups, "tracks": tree.tracks})
        return [t for t in tracks if kind in (None, t.kind) and (name is None or name.casefold() in t.name.casefold())]

    async def view(
        self, start: int | None = None, end: int | None = None, px: int = 1000, tracks: Tracks = None
    ) -> RunView:
        """What a viewer draws of some tracks (unless told, all but rollups) in the ticks [start, end) on `px` pixels.

        A bin is half a pixel to two pixels wide. Raises UsageError for a span without ticks or an unknown track.
        """
        span = self._span(start, end)
        view = View.of_span(*span, px)
        level = sharp_level(view.ticks_per_px, self._root_level)
        tree = await self._tree_of_tracks()
        asked = ids_of(tracks)
        shown = tree.leaves(None, _EVENT_KINDS) if asked is None else list(dict.fromkeys(asked))
        requests = [TrackRequest(track, tree.kind(track)) for track in shown]
        tiles = [
            tile
            for request in requests
            for tile in view_tiles(await self._tiles_of(request.track), request, span, level, self._root_level)
        ]
        pages, sizes = await self._exact_pages(dict.fromkeys(tile.page for tile in tiles))
        return make_view(span, level, tiles, pages, sizes, await self._name_texts(used_names(tiles, pages)))

    async def events(
        self, start: int | None = None, end: int | None = None, tracks: Tracks = None, *, limit: int | None = None
    ) -> Table:
        """The events that overlap the ticks [start, end), by track and ordinal: all, unless `limit` says how many.

        A rollup stands for its tracks. Raises UsageError for an unknown track.
        """
        parts: list[Events] = []
        left = limit
        async for part in self.event_batches(start, end, tracks):
            taken = part if left is None else part.take(slice(left))
            parts.append(taken)
            if left is not None:
                left -= len(taken)
                if left <= 0:
                    break
        return events_table(parts, await self._name_texts(name for part in parts for name in set(part.name.tolist())))

    async def event_batches(
        self, start: int | None = None, end: int | None = None, tracks: Tracks = None
    ) -> AsyncGenerator[Events, None]:
        """The same, page by page, as numpy columns with name ids (see `name_texts`): for more than fits into memory."""
        tree = await self._tree_of_tracks()
        for track in tree.leaves(ids_of(tracks), _EVENT_KINDS):
            if tree.tracks[track]["events"] == "0":
                continue
            plan = EventPlan(await self._tiles_of(track), track, Windows.one(*self._span(start, end)), self._root_level)
            async for part in self._read(plan):
                if len(part):
                    yield part

    async def event(self, track: int | Track, ordinal: int) -> dict[str, Any]:
        """One event with all its arguments, as docs/api.md has it. Raises `Refused` when there is none."""
        return await self._source.event(self._of, track.id if isinstance(track, Track) else track, ordinal)

    async def stats(
        self, start: int | None = None, end: int | None = None, tracks: Tracks = None, *, limit: int = 1000
    ) -> StatsAnswer:
        """What the ticks [start, end) are made of, name by name, exactly; the busiest names first."""
        span = self._span(start, end)
        return StatsAnswer.of(await self.ask("stats", start=span.start, end=span.stop, tracks=tracks, limit=limit))

    async def find(
        self,
        text: str,
        start: int | None = None,
        end: int | None = None,
        tracks: Tracks = None,
        *,
        match: str = "contains",
        limit: int | None = 1000,
    ) -> FindAnswer:
        """Where names occur that contain a text, or are it (`match="exact"`): the count, and the first by time.

        Of the events that start in [start, end). `limit=None` lists all of them. Raises UsageError.
        """
        span = self._span(start, end)
        answers: list[Answer] = []
        after: str | None = None
        listed = 0
        while True:
            at_once = _FIND_AT_ONCE if limit is None else min(limit - listed, _FIND_AT_ONCE)
            asked = {"start": span.start, "end": span.stop, "tracks": tracks, "match": match, "limit": at_once}
            answers.append(await self.ask("find", text=text, after=after, **asked))
            events = answers[-1].table("events")
            listed += len(events)
            after = events.more
            if after is None or (limit is not None and listed >= limit):
                return FindAnswer.of(answers)

    async def ask(self, tool: str, /, **values: Tracks | str | os.PathLike[str] | Named | None) -> Answer:
        """What a tool answers: see docs/tools.md. Fields of the question that are None are left out.

        A field that names another build takes a run of the same server, or of any store on this machine; without a
        server, the path of a store as well. `table("…")` of the answer is one of its tables, with `to_pandas()` and
        `to_arrow()`. Raises UsageError for a question that makes no sense, `Refused` for a tool that is not there.
        """
        asked: dict[str, Value] = {}
        for name, value in values.items():
            if isinstance(value, float):
                raise UsageError(f"{name}: {value} is a float, and those cannot hold every tick: give an integer")
            if isinstance(value, Named):
                asked[name] = value.ref
            elif isinstance(value, os.PathLike):
                asked[name] = os.fspath(value)
            elif isinstance(value, int | str):
                asked[name] = value
            elif (ids := ids_of(value)) is not None:
                asked[name] = ids
        return await self._source.ask(self._of, tool, asked)

    async def name_texts(self, names: Iterable[int]) -> dict[int, tuple[str, str]]:
        """Texts and categories of name ids; -1, no name, is left out."""
        return await self._name_texts(names)

    def _span(self, start: int | None, end: int | None) -> TickRange:
        first = self.start if start is None else max(start, 0)
        stop = self.end + 1 if end is None else min(end, TICK_LIMIT)
        if end is not None and end < first and (start is None or end < start):
            raise UsageError(f"ticks {first} to {end} are no span: it would end before it starts")
        return TickRange(first, max(first, stop))

    async def _tree_of_tracks(self) -> TrackTree:
        if self._tree is None:
            tree = await self._source.tracks(self._of)
            self._tree = TrackTree(tree["groups"], tree["tracks"])
        return self._tree

    async def _tiles_of(self, track: int) -> TileIndex:
        block = track // TRACKS_PER_BLOCK
        if block not in self._tiles:
            self._tiles[block] = TileIndex(Shape.decode(decompress(await self._source.shape(self._of, block))))
        return self._tiles[block]

    async def _exact_pages(self, keys: Iterable[PageKey]) -> tuple[dict[PageKey, Page], int]:
        """Pages with their residuals, and how many bytes were sent."""
        wanted: list[PageKey] = []
        for key in keys:
            wanted += [key, key.residual] if key in self._tiles[key.block].with_residual else [key]
        pages: dict[PageKey, Page] = {}
        size_bytes = 0
        async for key, member in self._source.pages(self._of, wanted):
            size_bytes += len(member)
            if key.part == Part.PAGE:
                pages[key] = decode_columns(decompress(member))
            else:
                page = key._replace(part=Part.PAGE)
                pages[page] = with_residual(pages[page], decompress(member))
        return pages, size_bytes

    async def _read(self, plan: EventPlan) -> AsyncIterator[Events]:
        runs = plan.leaf_runs
        # Each page where it comes first; a page that is needed again soon is kept, one needed much later fetched again.
        wanted = _with_repeats([run.page for run in runs])
        pages = self._source.pages(self._of, [key for key, is_new in wanted if is_new])
        kept: dict[PageKey, Page] = {}
        for run, (key, is_new) in zip(runs, wanted, strict=True):
            if is_new:
                got, member = await anext(pages)
                kept.pop(got, None)
                kept[got] = decode_columns(decompress(member))
                while len(kept) > _KEPT_PAGES:
                    del kept[next(iter(kept))]
            else:
                kept[key] = kept.pop(key)
            yield plan.events(run, kept[key])

    async def _name_texts(self, names: Iterable[int]) -> dict[int, tuple[str, str]]:
        ids = sorted({int(name) for name in names if name >= 0})
        missing = sorted({name // self._page_size for name in ids} - self._names.keys())
        for page, texts in zip(
            missing, await asyncio.gather(*(self._source.names(self._of, page) for page in missing)), strict=True
        ):
            self._names[page] = texts
        found = ((name, self._names[name // self._page_size][name % self._page_size]) for name in ids)
        return {name: (text, category) for name, (text, category) in found}


def _with_repeats(keys: Sequence[PageKey]) -> list[tuple[PageKey, bool]]:
    """Each key with whether its page must be fetched, because it is not among the last that were used."""
    out: list[tuple[PageKey, bool]] = []
    kept: dict[PageKey, None] = {}
    for key in keys:
        is_new = key not in kept
        kept.pop(key, None)
        kept[key] = None
        if len(kept) > _KEPT_PAGES:
            del kept[next(iter(kept))]
        out.append((key, is_new))
    return out
