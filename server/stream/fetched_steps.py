"""Steps of a want-list, whose pages are at hand when they are due."""

from __future__ import annotations

from tilescope.server.runs.store_reads import PAGES_AT_ONCE, fetch_pages
from tilescope.server.stream.wants import Step, WantQueue
from tilescope.tiler.store.store import Store


async def fetched_step(store: Store, wants: WantQueue) -> Step | None:
    """The next step, as `WantQueue.next_step` has it. Raises StoreError.

    It is taken when its page is there: a want-list that comes meanwhile takes the place of what was waited for.
    """
    while store.fetch is not None and (pages := wants.due_pages(PAGES_AT_ONCE)):
        await fetch_pages(store, pages)
        if wants.due_pages(1) == pages[:1]:
            break
    return wants.next_step()
