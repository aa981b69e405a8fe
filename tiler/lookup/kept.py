"""Values that are decoded of a store once, and kept with it."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial, wraps
from typing import Any, TypeVar

from tilescope.tiler.kept_with import KeptWith
from tilescope.tiler.store.store import Store

T = TypeVar("T")


def kept_with_store(limit: int | None) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """Decorates a function of a store and numbers: its last `limit` results for each store are kept, None: all.

    They go with the store. What it raises is not kept.
    """

    def decorate(decode: Callable[..., T]) -> Callable[..., T]:
        caches: KeptWith[Store, Callable[..., T]] = KeptWith()

        @wraps(decode)
        def kept(store: Store, *numbers: Any) -> T:
            cache = caches.get(store)
            if cache is None:
                cache = caches.setdefault(store, lru_cache(limit)(partial(decode, store)))
            return cache(*numbers)

        return kept

    return decorate
