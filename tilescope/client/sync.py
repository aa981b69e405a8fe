"""The client for programs and notebooks without `await`: a loop in a thread of its own does the waiting."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import AsyncGenerator, Coroutine, Generator, Iterable
from types import TracebackType
from typing import Any, Self, TypeVar

from tilescope.client.aio import AsyncClient, AsyncRun
from tilescope.client.answers import FindAnswer, StatsAnswer
from tilescope.client.tables import Table
from tilescope.client.tracks import Track, Tracks
from tilescope.client.view import RunView
from tilescope.tiler.query import Events

T = TypeVar("T")


class LoopThread:
    """An event loop that runs until it is closed, in a daemon thread. In notebooks, the main thread has one already."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="tilescope-client", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Waits for the result. An interrupted wait (Ctrl-C) cancels the work."""
        if self._loop.is_closed():
            work.close()
            raise RuntimeError("the client is closed")
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def close(self) -> None:
        """Ends the thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()


class Client:
    """A server, or a store on this machine. Close it, or use it with `with`; it closes itself when it is forgotten."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client
        self._loop = LoopThread()
        self._close = weakref.finalize(self, _close, client, self._loop)

    def runs(self) -> list[dict[str, Any]]:
        """The runs, newest first, as docs/api.md has them."""
        return self._loop.run(self._client.runs())

    def run(self, name: str | None = None, *, wait: bool = False) -> Run:
        """Opens the run of that id or name; the newest that can be opened unless told.

        With `wait`, a run that is not indexed is indexed first. Raises `Refused`: without it, when there is no index.
        """
        return Run(self._loop.run(self._client.run(name, wait=wait)), self._loop, self)

    def index(self, name: str) -> dict[str, Any]:
        """Has a run indexed before those that wait, or once more after a failure; the run as docs/api.md has it."""
        return self._loop.run(self._client.index(name))

    def close(self) -> None:
        """Closes connections, or the store."""
        self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Run:
    """One build of a run. Times are ticks, since `origin_ns`; a tick is `tick_ps` picoseconds."""

    def __init__(self, run: AsyncRun, loop: LoopThread, client: Client) -> None:
        self._run = run
        self._loop = loop
        self._client = client  # is not to close itself while a run is in use
        self.manifest = run.manifest
        self.id, self.name, self.build = run.id, run.name, run.build
        self.tick_ps, self.origin_ns, self.start, self.end = run.tick_ps, run.origin_ns, run.start, run.end

    def ticks(self, *, ns: int = 0, us: int = 0, ms: int = 0, s: int = 0) -> int:
        """So much time in ticks, rounded down."""
        return self._run.ticks(ns=ns, us=us, ms=ms, s=s)

    def tracks(self, *, kind: str | None = None, name: str | None = None) -> list[Track]:
        """The tracks by id; those of a kind, or whose name contains a text."""
        return self._loop.run(self._run.tracks(kind=kind, name=name))

    def view(self, start: int | None = None, end: int | None = None, px: int = 1000, tracks: Tracks = None) -> RunView:
        """What a viewer draws of some tracks (unless told, all but rollups) in the ticks [start, end) on `px` pixels.

        A bin is half a pixel to two pixels wide. Raises UsageError for a span without ticks or an unknown track.
        """
        return self._loop.run(self._run.view(start, end, px, tracks))

    def events(
        self, start: int | None = None, end: int | None = None, tracks: Tracks = None, *, limit: int | None = None
    ) -> Table:
        """The events that overlap the ticks [start, end), by track and ordinal: all, unless `limit` says how many.

        A rollup stands for its tracks. Raises UsageError for an unknown track.
        """
        return self._loop.run(self._run.events(start, end, tracks, limit=limit))

    def event_batches(
        self, start: int | None = None, end: int | None = None, tracks: Tracks = None
    ) -> Generator[Events, None, None]:
        """The same, page by page, as numpy columns with name ids (see `name_texts`): for more than fits into memory."""
        batches = self._run.event_batches(start, end, tracks)
        try:
            while (part := self._loop.run(_next(batches))) is not None:
                yield part
        finally:
            self._loop.run(batches.aclose())

    def event(self, track: int | Track, ordinal: int) -> dict[str, Any]:
        """One event with all its arguments, as docs/api.md has it. Raises `Refused` when there is none."""
        return self._loop.run(self._run.event(track, ordinal))

    def stats(
        self, start: int | None = None, end: int | None = None, tracks: Tracks = None, *, limit: int = 1000
    ) -> StatsAnswer:
        """What the ticks [start, end) are made of, name by name, exactly; the busiest names first."""
        return self._loop.run(self._run.stats(start, end, tracks, limit=limit))

    def find(
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
        return self._loop.run(self._run.find(text, start, end, tracks, match=match, limit=limit))

    def name_texts(self, names: Iterable[int]) -> dict[int, tuple[str, str]]:
        """Texts and categories of name ids; -1, no name, is left out."""
        return self._loop.run(self._run.name_texts(names))


async def _next(batches: AsyncGenerator[Events, None]) -> Events | None:
    return await anext(batches, None)


def _close(client: AsyncClient, loop: LoopThread) -> None:
    loop.run(client.close())
    loop.close()
