"""Values that are decoded of a store once, and kept with it."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial, wraps
from typing import Concatenate, ParamSpec, TypeVar, cast

from tilescope.tiler.kept_with import KeptWith
from tilescope.tiler.store.store import Store

P = ParamSpec("P")
T = TypeVar("T")

_Lookup = Callable[Concatenate[Store, P], T]


def kept_with_store(limit: int | None) -> Callable[[_Lookup[P, T]], _Lookup[P, T]]:
    """Decorates a function of a store and numbers: its last `limit` results for each store are kept, None: all.

    They go with the store. What it raises is not kept.
    """

    def decorate(decode: _Lookup[P, T]) -> _Lookup[P, T]:
        caches: KeptWith[Store, Callable[P, T]] = KeptWith()

        @wraps(decode)
        def kept(store: Store, /, *args: P.args, **kwargs: P.kwargs) -> T:
            cache = caches.get(store)
            if cache is None:
                decode_of_store: Callable[P, T] = partial(decode, store)
                cache = caches.setdefault(store, cast("Callable[P, T]", lru_cache(limit)(decode_of_store)))
            return cache(*args, **kwargs)

        return kept

    return decorate
