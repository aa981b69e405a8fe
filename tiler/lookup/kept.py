"""Values that are decoded of a store once, and kept with it."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial, wraps
from typing import Concatenate, Final, ParamSpec, TypeVar, cast

from tilescope.tiler.store.store import Store

P = ParamSpec("P")
T = TypeVar("T")

_Lookup = Callable[Concatenate[Store, P], T]

_NAME: Final = "_kept_lookups"  # an attribute of the store: a cache for each function


def kept_with_store(limit: int) -> Callable[[_Lookup[P, T]], _Lookup[P, T]]:
    """Decorates a function of a store and numbers: its last `limit` results for each store are kept.

    They lie on the store itself and go with it, also where `store` is a weak proxy of it. What it raises is not kept.
    """

    def decorate(decode: _Lookup[P, T]) -> _Lookup[P, T]:
        @wraps(decode)
        def kept(store: Store, /, *args: P.args, **kwargs: P.kwargs) -> T:
            caches = vars(store).setdefault(_NAME, {})
            cache = caches.get(decode)
            if cache is None:
                decode_of_store: Callable[P, T] = partial(decode, store)
                cache = caches.setdefault(decode, cast("Callable[P, T]", lru_cache(limit)(decode_of_store)))
            value: T = cache(*args, **kwargs)
            return value

        return kept

    return decorate
