"""Caches of what is worked out once: each declared with a title, and listed in one registry, under one limit.

A value is stored on its owner, an open run as a rule, so that a value that refers to its owner does not keep it alive.
The registry keeps the order of use over all caches: when they exceed the limit, the least recently used entries go
first. Caches that evict by themselves, pages and results of functions, have a share of the limit each. A caller holds
what it got as long as it needs it, and works it out again when it is no longer there: eviction never changes an answer.

The registry counts what is declared with it. Plain `lru_cache`s, results in `lookup/kept.py` and lists in
`store/attachments.py` are bounded by their number of entries, and not counted.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Generic, ParamSpec, Protocol, TypeVar, cast

import msgspec

from tilescope.tiler.overloads import overload
from tilescope.tiler.size_estimate import estimated_bytes

if TYPE_CHECKING:
    from functools import _lru_cache_wrapper

# Programs, allocations and tables of operations had 256, 256 and 96 MiB, when each had a limit of its own.
DEFAULT_LIMIT_BYTES: Final = 512 << 20

_HOLDER_NAME: Final = "_cached_values"  # an attribute of the owner
_KEPT_BETWEEN: Final = 64  # values that are kept before those that grow are measured again
_ENTRY_BYTES: Final = 300  # of an entry beside its value and a key of more than a number
_SHARES: Final = 3  # of the limit: at most one for pages, one for results of functions, the others for entries

Owner = TypeVar("Owner")
Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
Default = TypeVar("Default")
Parameters = ParamSpec("Parameters")

_Place = tuple["_CacheCounters", int, Hashable]  # counters of the cache, number of the owner's holder, key


class CacheSize(msgspec.Struct, frozen=True):
    """Size of a cache in this process; bytes are estimated."""

    name: str
    title: str
    size_bytes: int
    entries: int


class SelfLimitedCache(Protocol):
    """A cache that evicts by itself: the registry lists it and counts its bytes."""

    @property
    def name(self) -> str:
        """Its name in lists and metrics."""
        ...

    @property
    def title(self) -> str:
        """Its contents, in words."""
        ...

    @property
    def size_bytes(self) -> int:
        """Bytes that it keeps."""
        ...

    @property
    def entries(self) -> int:
        """Number of values that it keeps."""
        ...

    def clear(self) -> None:
        """Drops all values."""
        ...


class SharedCache(SelfLimitedCache, Protocol):
    """A cache that keeps no more than its share of the limit."""

    def fit(self, share_bytes: int) -> None:
        """Drops what exceeds the share, and keeps no more from then on."""
        ...


class _CacheCounters:
    """Bytes and entries of one declared cache. Compared by identity."""

    def __init__(self, name: str, title: str, size: Callable[[Any], int], *, grows: bool) -> None:
        self.name, self.title, self.size, self.grows = name, title, size, grows
        self.size_bytes = 0
        self.entries = 0


class _Holder:
    """Values of one owner by place. It is referred to by its owner alone, and ends with it."""

    __slots__ = ("__weakref__", "number", "values")

    def __init__(self, number: int) -> None:
        self.number = number
        self.values: dict[_Place, Any] = {}


_MISSING: Final = object()


class CacheRegistry:
    """All caches of a process: their sizes, and the order in which entries were used. For any thread."""

    def __init__(self, limit_bytes: int = DEFAULT_LIMIT_BYTES) -> None:
        self._limit = limit_bytes
        self._lock = threading.RLock()
        self._counters: dict[str, _CacheCounters] = {}
        self._memos: dict[str, Memo] = {}
        self._shared: dict[str, SharedCache] = {}
        self._sizes: OrderedDict[_Place, int] = OrderedDict()  # least recently used first
        self._key_sizes: dict[_Place, int] = {}
        self._holders: dict[int, weakref.ref[_Holder]] = {}
        self._places: dict[int, set[_Place]] = {}  # by number of the holder
        self._ended: deque[int] = deque()  # numbers of holders whose owners are gone
        self._numbers = itertools.count()
        self._growing: set[_Place] = set()  # of caches whose values grow
        self._unmeasured = 0  # values that were kept since those that grow were measured
        self._total = 0  # of entries
        self._self_limited_bytes = 0  # of the other caches, when they were measured last

    @property
    def limit_bytes(self) -> int:
        """Bytes that all caches together may keep."""
        return self._limit

    @limit_bytes.setter
    def limit_bytes(self, limit: int) -> None:
        with self._lock:
            self._limit = limit
            for cache in self._shared.values():
                cache.fit(self._share_bytes)
            self._measure_all()
            self._make_room()

    @property
    def _share_bytes(self) -> int:
        return self._limit // _SHARES

    def declare(self, name: str, title: str, size: Callable[[Any], int], *, grows: bool) -> _CacheCounters:
        """Adds a cache. Raises ValueError when there is one of this name."""
        with self._lock:
            self._check_name(name)
            counters = self._counters[name] = _CacheCounters(name, title, size, grows=grows)
            return counters

    def add_shared(self, cache: SharedCache) -> None:
        """Adds a cache that has a share of the limit. Raises ValueError when there is one of this name."""
        with self._lock:
            self._check_name(cache.name)
            self._shared[cache.name] = cache
            cache.fit(self._share_bytes)

    def add_memo(self, memo: Memo) -> None:
        """Adds results of functions: all of them have one share. Raises ValueError when there is one of this name."""
        with self._lock:
            self._check_name(memo.name)
            self._memos[memo.name] = memo

    def sizes(self) -> list[CacheSize]:
        """Sizes of all caches, in alphabetical order of their names."""
        with self._lock:
            self._measure_all()
            self._make_room()
            caches: list[_CacheCounters | SelfLimitedCache] = [*self._counters.values(), *self._self_limiting()]
            rows = [CacheSize(cache.name, cache.title, cache.size_bytes, cache.entries) for cache in caches]
        return sorted(rows, key=lambda row: row.name)

    def evict(self, count: int) -> None:
        """Drops the entries, so many at most, that were used least recently."""
        with self._lock:
            for _ in range(min(count, len(self._sizes))):
                self._drop(next(iter(self._sizes)))

    def clear(self) -> None:
        """Drops everything."""
        with self._lock:
            self.evict(len(self._sizes))
            for cache in self._self_limiting():
                cache.clear()
            self._self_limited_bytes = 0

    def lookup(self, counters: _CacheCounters, owner: object, key: Hashable, default: object) -> Any:
        """The value of an owner under a key, or the default."""
        holder: _Holder | None = vars(owner).get(_HOLDER_NAME)
        if holder is None:
            return default
        place = (counters, holder.number, key)
        with self._lock:
            value = holder.values.get(place, _MISSING)
            if value is _MISSING:
                return default
            self._sizes.move_to_end(place)
            return value

    def store(self, counters: _CacheCounters, owner: object, key: Hashable, value: Any) -> Any:
        """Keeps a value unless there is one already; returns the one that counts."""
        with self._lock:
            holder = self._holder(owner)
            place = (counters, holder.number, key)
            if place in holder.values:
                return self.lookup(counters, owner, key, value)
            holder.values[place] = value
            self._places[holder.number].add(place)
            self._sizes[place] = 0
            self._key_sizes[place] = 0 if isinstance(key, int | None) else estimated_bytes(key)
            counters.entries += 1
            self._measure(place, value)
            if self._sizes[place] > self._limit - self._self_limited_bytes:  # others need not go for it
                self._drop(place)
                return value
            if counters.grows:
                self._growing.add(place)
            self._unmeasured += 1
            if self._unmeasured >= _KEPT_BETWEEN:
                self._measure_all()
            self._make_room()
            return value

    def discard(self, counters: _CacheCounters) -> None:
        """Drops all entries of a cache."""
        with self._lock:
            for place in [place for place in self._sizes if place[0] is counters]:
                self._drop(place)

    def _self_limiting(self) -> list[SelfLimitedCache]:
        return [*self._memos.values(), *self._shared.values()]

    def _check_name(self, name: str) -> None:
        if any(name in caches for caches in (self._counters, self._memos, self._shared)):
            raise ValueError(f"there are two caches {name!r}")

    def _holder(self, owner: object) -> _Holder:
        holder: _Holder | None = vars(owner).get(_HOLDER_NAME)
        if holder is None:
            number = next(self._numbers)
            holder = vars(owner)[_HOLDER_NAME] = _Holder(number)
            # Called while garbage is collected, at any moment: it must not touch what a thread is changing.
            self._holders[number] = weakref.ref(holder, lambda _: self._ended.append(number))
            self._places[number] = set()
        return holder

    def _measure_all(self) -> None:
        """Measures what evicts by itself, and what grows."""
        self._self_limited_bytes = self._fit_memos() + sum(cache.size_bytes for cache in self._shared.values())
        for place in list(self._growing):
            holder = self._live_holder(place)
            if holder is not None:
                self._measure(place, holder.values[place])
                if self._sizes[place] > self._limit - self._self_limited_bytes:
                    self._drop(place)
        self._unmeasured = 0

    def _fit_memos(self) -> int:
        """Has the largest memos drop their results as long as all of them exceed their share; returns the bytes left.

        Functions cannot drop the least recently used of their results alone.
        """
        sizes = {name: memo.size_bytes for name, memo in self._memos.items()}
        while sum(sizes.values()) > self._share_bytes:
            largest = max(sizes, key=sizes.__getitem__)
            self._memos[largest].clear()
            sizes[largest] = 0
        return sum(sizes.values())

    def _make_room(self) -> None:
        """Drops entries that exceed the limit, and those of owners that are gone."""
        self._forget_ended()
        while self._total + self._self_limited_bytes > self._limit and self._sizes:
            self._drop(next(iter(self._sizes)))
            self._forget_ended()  # an owner may end with what it had in a value

    def _forget_ended(self) -> None:
        while self._ended:
            self._forget_owner(self._ended.popleft())

    def _live_holder(self, place: _Place) -> _Holder | None:
        reference = self._holders.get(place[1])
        return None if reference is None else reference()

    def _measure(self, place: _Place, value: Any) -> None:
        self._resize(place, place[0].size(value) + self._key_sizes[place] + _ENTRY_BYTES)

    def _resize(self, place: _Place, size: int) -> None:
        change = size - self._sizes[place]
        self._sizes[place] = size
        self._total += change
        place[0].size_bytes += change

    def _drop(self, place: _Place) -> None:
        self._resize(place, 0)
        del self._sizes[place], self._key_sizes[place]
        place[0].entries -= 1
        self._growing.discard(place)
        self._places[place[1]].discard(place)
        holder = self._live_holder(place)
        if holder is not None:
            del holder.values[place]

    def _forget_owner(self, number: int) -> None:
        for place in list(self._places[number]):
            self._drop(place)
        del self._places[number], self._holders[number]


CACHES: Final = CacheRegistry()


class KeyedCache(Generic[Owner, Key, Value]):
    """Values of each owner by key. `size` estimates the bytes of one; one that `grows` is measured after each use."""

    def __init__(
        self,
        name: str,
        title: str,
        size: Callable[[Value], int] = estimated_bytes,
        *,
        grows: bool = False,
        registry: CacheRegistry = CACHES,
    ) -> None:
        self._registry = registry
        self._counters = registry.declare(name, title, size, grows=grows)

    @overload
    def get(self, owner: Owner, key: Key) -> Value | None: ...

    @overload
    def get(self, owner: Owner, key: Key, default: Default) -> Value | Default: ...

    def get(self, owner: Owner, key: Key, default: object = None) -> object:
        """The value of an owner under a key."""
        return self._registry.lookup(self._counters, owner, key, default)

    def keep(self, owner: Owner, key: Key, value: Value) -> Value:
        """Keeps a value, if there is none yet; returns the one that is kept. There may be no room for it."""
        return cast("Value", self._registry.store(self._counters, owner, key, value))

    def clear(self) -> None:
        """Drops the values of all owners."""
        self._registry.discard(self._counters)


class OwnerCache(Generic[Owner, Value]):
    """One value of each owner."""

    def __init__(
        self,
        name: str,
        title: str,
        size: Callable[[Value], int] = estimated_bytes,
        *,
        grows: bool = False,
        registry: CacheRegistry = CACHES,
    ) -> None:
        self._values: KeyedCache[Owner, None, Value] = KeyedCache(name, title, size, grows=grows, registry=registry)

    @overload
    def get(self, owner: Owner) -> Value | None: ...

    @overload
    def get(self, owner: Owner, default: Default) -> Value | Default: ...

    def get(self, owner: Owner, default: object = None) -> object:
        """The value of an owner."""
        return self._values.get(owner, None, default)

    def keep(self, owner: Owner, value: Value) -> Value:
        """Keeps a value, as `KeyedCache.keep`."""
        return self._values.keep(owner, None, value)

    def clear(self) -> None:
        """Drops the values of all owners."""
        self._values.clear()


class Memo:
    """Results of functions by their arguments, so many of each function: for calls that take less than a lookup above.

    `entry_bytes` is what a result takes with its arguments, about.
    """

    def __init__(self, name: str, title: str, entry_bytes: int, registry: CacheRegistry = CACHES) -> None:
        self.name, self.title = name, title
        self._entry_bytes = entry_bytes
        self._functions: weakref.WeakSet[_lru_cache_wrapper[Any]] = weakref.WeakSet()
        self._lock = threading.Lock()
        registry.add_memo(self)

    def remembered(self, function: Callable[Parameters, Value], entries: int) -> Callable[Parameters, Value]:
        """The function, with its last results."""
        wrapper = lru_cache(entries)(function)
        with self._lock:
            self._functions.add(wrapper)
        return cast("Callable[Parameters, Value]", wrapper)

    @property
    def size_bytes(self) -> int:
        """About what all results take."""
        return self.entries * self._entry_bytes

    @property
    def entries(self) -> int:
        """Number of results."""
        return sum(function.cache_info().currsize for function in self._all_functions())

    def clear(self) -> None:
        """Drops all results."""
        for function in self._all_functions():
            function.cache_clear()

    def _all_functions(self) -> list[_lru_cache_wrapper[Any]]:
        with self._lock:
            return list(self._functions)


def forget_copied_values(owner: object) -> None:
    """Has an owner that is a copy of another one, with its attributes, begin without values."""
    vars(owner).pop(_HOLDER_NAME, None)
