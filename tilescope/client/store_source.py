"""Reads of an open store that a source hands on as they are: tracks, names, shapes, pages, attachments, events."""

from __future__ import annotations

import asyncio
import json
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from functools import partial
from typing import Any, Final, TypeVar

from tilescope.client.errors import Refused
from tilescope.client.source import Build
from tilescope.tiler.lookup.events import event_details
from tilescope.tiler.lookup.tiles import stored_page
from tilescope.tiler.pages import PageKey, decompress, record_title
from tilescope.tiler.records.attachments import ATTACHMENTS
from tilescope.tiler.records.names import NAMES
from tilescope.tiler.records.tiles import PAGE, SHAPE
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.store.attachments import content, entry_of
from tilescope.tiler.store.store import Store, need

_PAGES_AHEAD: Final = 32  # that are read together where the store is elsewhere
_T = TypeVar("_T")


class StoreSource(ABC):
    """Part of a `Source`. Whoever is one says which store a build is."""

    @abstractmethod
    def _opened(self, build: Build) -> Store:
        """The open store of a build. Raises `Refused` or another `TilescopeError` where it is not there."""

    async def tracks(self, build: Build) -> dict[str, Any]:
        store = self._opened(build)
        tree: dict[str, Any] = json.loads(decompress(await _read(store, lambda: need(store, TRACKS))))
        return tree

    async def names(self, build: Build, page: int) -> list[list[str]]:
        store = self._opened(build)
        record = await _read(store, lambda: store.get(NAMES, page))
        names: list[list[str]] = json.loads(decompress(_existing(store, record, f"names-{page}")))
        return names

    async def shape(self, build: Build, block: int) -> bytes:
        store = self._opened(build)
        return _existing(store, await _read(store, lambda: store.get(SHAPE, block)), f"shapes-{block}")

    async def pages(self, build: Build, keys: Sequence[PageKey]) -> AsyncIterator[tuple[PageKey, bytes]]:
        store = self._opened(build)
        for number, key in enumerate(keys):
            if store.fetch is not None:
                names = [(PAGE, key[:4]) for key in keys[number : number + _PAGES_AHEAD]]
                await asyncio.to_thread(store.fetch, names)
            yield key, _existing(store, await _read(store, partial(stored_page, store, key)), key.text())

    async def attachments(self, build: Build) -> list[dict[str, Any]]:
        store = self._opened(build)
        record = _existing(store, await _read(store, lambda: store.get(ATTACHMENTS)), "attachments")
        listed: list[dict[str, Any]] = json.loads(decompress(record))["attachments"]
        return listed

    async def attachment(self, build: Build, number: int) -> AsyncGenerator[bytes, None]:
        store = self._opened(build)
        entry = entry_of(_existing(store, await _read(store, lambda: store.get(ATTACHMENTS)), "attachments"), number)
        if entry is None:
            raise Refused("not_found", f"there is no attachment {number} in build {store.build}")
        pieces = content(store, entry)
        while piece := await _read(store, lambda: next(pieces, b"")):
            yield piece

    async def event(self, build: Build, track: int, ordinal: int) -> dict[str, Any]:
        store = self._opened(build)
        details = await _read(store, lambda: event_details(store, track, ordinal))
        if details is None:
            event_name = record_title(f"events-{track}.{ordinal}")
            raise Refused("not_found", f"there is no {event_name} in build {store.build}")
        return details


async def _read(store: Store, read: Callable[[], _T]) -> _T:
    """Returns what `read` returns: in a thread where the store is elsewhere."""
    return read() if store.fetch is None else await asyncio.to_thread(read)


def _existing(store: Store, record: bytes | None, name: str) -> bytes:
    if record is None:
        raise Refused("not_found", f"there is no {record_title(name)} in build {store.build}")
    return record
