"""Reads of stores on behalf of the event loop: what may wait for another machine is left to a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final, TypeVar

from tilescope.tiler.pages import PageKey
from tilescope.tiler.records.tiles import PAGE
from tilescope.tiler.store.store import Store

PAGES_AT_ONCE: Final = 32  # that are read together: the one that is sent next, and those behind it

# Not those of the event loop, in which everything else would wait for a slow host.
_THREADS: Final = ThreadPoolExecutor(16, thread_name_prefix="store-reads")

_T = TypeVar("_T")


async def read_from(store: Store, read: Callable[[], _T]) -> _T:
    """Returns what `read` returns, which reads from the store. Raises what it raises."""
    return read() if store.fetch is None else await in_thread(read)


async def fetch_pages(store: Store, keys: Sequence[PageKey]) -> None:
    """Has the first of these pages at hand where reading one by one takes long, and with it the others."""
    if store.fetch is not None:
        await in_thread(partial(store.fetch, [(PAGE, key[:4]) for key in keys]))


async def fetch_listed_pages(store: Store, keys: Sequence[PageKey], number: int) -> None:
    """The same for the page of that number in a list, and the next ones."""
    if store.fetch is not None:
        await fetch_pages(store, keys[number : number + PAGES_AT_ONCE])


async def in_thread(work: Callable[[], _T]) -> _T:
    """Returns what `work` returns, which may wait for another machine."""
    return await asyncio.get_running_loop().run_in_executor(_THREADS, work)
