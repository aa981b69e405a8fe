"""Stored data of a run, through any transport: its tracks, tiles and names, each asked for once, and its pages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from tilescope.client.source import Build, RunSource
from tilescope.client.tables import Table
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
from tilescope.tiler.query import EventPlan, TrackTree
from tilescope.tiler.query.event_columns import EventColumns, event_columns
from tilescope.tiler.resolver import TileIndex
from tilescope.tiler.tables.event_rows import event_batch
from tilescope.tiler.tables.name_words import NameWords

# Pages that are kept inflated while events are read: leaves of neighbouring levels take turns, and tracks of a block
# share pages. Some twenty megabytes; with four of them each page was inflated four times (48 tracks, 2026-11-30).
_KEPT_PAGES = 128


class StoredRun:
    """One build of a run."""

    def __init__(self, source: RunSource, build: Build, names_per_page: int) -> None:
        self._source = source
        self._build = build
        self._page_size = names_per_page
        self._tree: TrackTree | None = None
        self._tiles: dict[int, TileIndex] = {}
        self._names: dict[int, list[list[str]]] = {}
        self._words = NameWords()

    async def tree(self) -> TrackTree:
        """The run's tracks."""
        if self._tree is None:
            tree = await self._source.tracks(self._build)
            self._tree = TrackTree.from_json(tree)
        return self._tree

    async def tiles_of(self, track: int) -> TileIndex:
        """Index of the tiles of a track and its neighbours."""
        block = track // TRACKS_PER_BLOCK
        if block not in self._tiles:
            self._tiles[block] = TileIndex(Shape.decode(decompress(await self._source.shape(self._build, block))))
        return self._tiles[block]

    async def exact_pages(self, keys: Iterable[PageKey]) -> tuple[dict[PageKey, Page], int]:
        """Pages with their residuals, and how many bytes were sent."""
        wanted: list[PageKey] = []
        for key in keys:
            wanted += [key, key.residual] if key in self._tiles[key.block].with_residual else [key]
        pages: dict[PageKey, Page] = {}
        size_bytes = 0
        async for key, member in self._source.pages(self._build, wanted):
            size_bytes += len(member)
            if key.part == Part.PAGE:
                pages[key] = decode_columns(decompress(member))
            else:
                page = key._replace(part=Part.PAGE)
                pages[page] = with_residual(pages[page], decompress(member))
        return pages, size_bytes

    async def read(
        self, plan: EventPlan, columns: Sequence[str], kept: dict[PageKey, bytes], *, is_counter: bool
    ) -> AsyncIterator[EventColumns]:
        """The events of a plan, leaf by leaf: columns of `Events`. `kept`: pages of plans before, inflated."""
        runs = plan.leaf_runs
        # Each page where it comes first; a page that is needed again soon is kept, one needed much later fetched again.
        wanted = _with_repeats([run.page for run in runs], kept)
        pages = self._source.pages(self._build, [key for key, is_new in wanted if is_new])
        for run, (key, is_new) in zip(runs, wanted, strict=True):
            if is_new:
                got, member = await anext(pages)
                kept.pop(got, None)
                kept[got] = decompress(member)
                while len(kept) > _KEPT_PAGES:
                    del kept[next(iter(kept))]
            else:
                kept[key] = kept.pop(key)
            yield event_columns(plan, run, kept[key], columns, is_counter=is_counter)

    async def words_for(self, ids: Iterable[NDArray[np.int64]]) -> NameWords:
        """Words that have these names."""
        if unread := self._words.unread(np.concatenate([np.zeros(0, np.int64), *ids])):
            texts = await self.name_texts(unread)
            self._words.add(unread, (texts[name] for name in unread))
        return self._words

    async def events_table(self, parts: Sequence[EventColumns], columns: Sequence[str]) -> Table:
        """Events as a table of these columns."""
        names = await self.words_for(part.columns["name"] for part in parts if "name" in part.columns)
        return Table(event_batch(parts, columns, names).columns)

    async def name_texts(self, names: Iterable[int]) -> dict[int, tuple[str, str]]:
        """Names and categories by their ids; those below 0 stand for none."""
        ids = sorted({int(name) for name in names if name >= 0})
        missing = sorted({name // self._page_size for name in ids} - self._names.keys())
        for page, texts in zip(
            missing, await asyncio.gather(*(self._source.names(self._build, page) for page in missing)), strict=True
        ):
            self._names[page] = texts
        pairs = ((name, self._names[name // self._page_size][name % self._page_size]) for name in ids)
        return {name: (text, category) for name, (text, category) in pairs}


def _with_repeats(keys: Sequence[PageKey], kept_before: Iterable[PageKey]) -> list[tuple[PageKey, bool]]:
    """Each key with whether its page must be fetched, because it is not among the last that were used."""
    out: list[tuple[PageKey, bool]] = []
    kept: dict[PageKey, None] = dict.fromkeys(kept_before)
    for key in keys:
        is_new = key not in kept
        kept.pop(key, None)
        kept[key] = None
        if len(kept) > _KEPT_PAGES:
            del kept[next(iter(kept))]
        out.append((key, is_new))
    return out
