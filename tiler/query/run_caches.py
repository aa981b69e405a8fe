"""Caches of what is worked out from a run, which is stored on its reader.

A run that is still being indexed may change with every read: nothing of it is kept.
"""

from __future__ import annotations

from typing import TypeVar

from tilescope.tiler.caches import Key, KeyedCache, OwnerCache
from tilescope.tiler.query.reader import QueryReader

Value = TypeVar("Value")


class KeyedRunCache(KeyedCache[QueryReader, Key, Value]):
    """Values of each run by key."""

    def keep(self, owner: QueryReader, key: Key, value: Value) -> Value:
        """Keeps a value, as `KeyedCache.keep`, of a run that no longer changes."""
        return value if owner.store.is_growing else super().keep(owner, key, value)


class RunCache(OwnerCache[QueryReader, Value]):
    """One value of each run."""

    def keep(self, owner: QueryReader, value: Value) -> Value:
        """Keeps a value, as `KeyedCache.keep`, of a run that no longer changes."""
        return value if owner.store.is_growing else super().keep(owner, value)
