"""The client for programs and notebooks without `await`: a loop in a thread of its own does the waiting."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from functools import wraps
from types import TracebackType
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from tilescope.client.aio import AsyncRun
from tilescope.client.async_client import AsyncClient
from tilescope.tiler.overloads import overload

P = ParamSpec("P")
T = TypeVar("T")
Twin = TypeVar("Twin")


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


class _Waiting(Generic[Twin]):
    """Base of objects with an asynchronous twin, and with a loop on which the twin's methods are waited for."""

    def __init__(self, twin: Twin, loop: LoopThread) -> None:
        self._twin = twin
        self._loop = loop


def _waited_for(
    method: Callable[Concatenate[Twin, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[_Waiting[Twin], P], T]:
    """The method of the twin, with its documentation, until it is done."""

    @wraps(method)
    def call(self: _Waiting[Twin], /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._loop.run(method(self._twin, *args, **kwargs))

    return call


def _at_once(method: Callable[Concatenate[Twin, P], T]) -> Callable[Concatenate[_Waiting[Twin], P], T]:
    """The method of the twin, with its documentation, where there is nothing to wait for."""

    @wraps(method)
    def call(self: _Waiting[Twin], /, *args: P.args, **kwargs: P.kwargs) -> T:
        return method(self._twin, *args, **kwargs)

    return call


class _Steps(Generic[T]):
    """An asynchronous generator that another thread goes through."""

    def __init__(self, items: AsyncGenerator[T, None]) -> None:
        self._items = items
        self._step: asyncio.Task[Any] | None = None

    async def next(self) -> T | None:
        """The next item; None: there is none."""
        self._step = asyncio.current_task()
        return await anext(self._items, None)

    async def close(self) -> None:
        """Closes the generator, after a step that was interrupted on its way has let go of it."""
        if self._step is not None and not self._step.done():
            if not self._step.cancelling():
                self._step.cancel()
            await asyncio.wait([self._step])
        await self._items.aclose()


def _one_by_one(
    method: Callable[Concatenate[Twin, P], AsyncGenerator[T, None]],
) -> Callable[Concatenate[_Waiting[Twin], P], Generator[T, None, None]]:
    """The same of a method that yields."""

    @wraps(method)
    def call(self: _Waiting[Twin], /, *args: P.args, **kwargs: P.kwargs) -> Generator[T, None, None]:
        steps = _Steps(method(self._twin, *args, **kwargs))
        try:
            while (item := self._loop.run(steps.next())) is not None:
                yield item
        finally:
            self._loop.run(steps.close())

    return call


class Client(_Waiting[AsyncClient]):
    """A server, or a store on this machine. Close it, or use it with `with`; it closes itself when it is forgotten."""

    def __init__(self, client: AsyncClient) -> None:
        super().__init__(client, LoopThread())
        self._close = weakref.finalize(self, _close, client, self._loop)

    runs = _waited_for(AsyncClient.runs)
    index = _waited_for(AsyncClient.index)
    watch = _one_by_one(AsyncClient.watch)

    def run(self, name: str | None = None, *, wait: bool = False) -> Run:
        return Run(self._loop.run(self._twin.run(name, wait=wait)), self._loop, self)

    run.__doc__ = AsyncClient.run.__doc__

    def __repr__(self) -> str:
        return repr(self._twin).replace("Async", "", 1)

    def close(self) -> None:
        """Closes connections, or the store."""
        self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Run(_Waiting[AsyncRun]):
    """One build of a run. Times are ticks since `origin_ns`; a tick is `tick_ps` picoseconds.

    A time may also be given as text with a unit ("0.1 s") or as a timedelta of Python, numpy or pandas.
    """

    def __init__(self, run: AsyncRun, loop: LoopThread, client: Client) -> None:
        super().__init__(run, loop)
        self._client = client  # is not to close itself while a run is in use
        self.manifest = run.manifest
        self.id, self.name, self.build = run.id, run.name, run.build
        self.tick_ps, self.origin_ns, self.start, self.end = run.tick_ps, run.origin_ns, run.start, run.end

    def __repr__(self) -> str:
        return repr(self._twin).replace("Async", "", 1)

    ticks = _at_once(AsyncRun.ticks)
    time_text = _at_once(AsyncRun.time_text)

    @overload
    def timedelta(self, ticks: NDArray[np.int64]) -> NDArray[np.timedelta64]: ...
    @overload
    def timedelta(self, ticks: int | np.integer[Any]) -> np.timedelta64: ...
    def timedelta(self, ticks: int | np.integer[Any] | NDArray[np.int64]) -> np.timedelta64 | NDArray[np.timedelta64]:
        """The ticks as a timedelta of numpy, exactly; a whole column at once."""
        return self._twin.timedelta(ticks)

    @property
    def ref(self) -> str:
        """The name of this build in a question to another one: `run.ask("…", against=other)`."""
        return self._twin.ref

    tracks = _waited_for(AsyncRun.tracks)
    tree = _waited_for(AsyncRun.tree)
    view = _waited_for(AsyncRun.view)
    events = _waited_for(AsyncRun.events)
    event_batches = _one_by_one(AsyncRun.event_batches)
    event = _waited_for(AsyncRun.event)
    attachments = _waited_for(AsyncRun.attachments)
    tools = _waited_for(AsyncRun.tools)
    attachment = _waited_for(AsyncRun.attachment)
    attachment_pieces = _one_by_one(AsyncRun.attachment_pieces)
    ask = _waited_for(AsyncRun.ask)
    sql = _waited_for(AsyncRun.sql)
    sql_answer = _waited_for(AsyncRun.sql_answer)
    stats = _waited_for(AsyncRun.stats)
    find = _waited_for(AsyncRun.find)
    search = _waited_for(AsyncRun.search)
    hit_batches = _one_by_one(AsyncRun.hit_batches)


def _close(client: AsyncClient, loop: LoopThread) -> None:
    loop.run(client.close())
    loop.close()
