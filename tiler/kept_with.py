"""A cache of computed values, each kept as long as the object that it was computed from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Generic, TypeVar
from weakref import WeakSet

from tilescope.tiler.overloads import overload

Owner = TypeVar("Owner")
T = TypeVar("T")
D = TypeVar("D")

_NAME = "_kept_with"  # an attribute of the owner


def drop_kept(owner: object) -> None:
    """Begins anew for an owner that is a copy of another one, and has its values."""
    vars(owner).pop(_NAME, None)


class KeptWith(Generic[Owner, T]):
    """Values by their owners, which have them: a value may refer to its owner, and goes with it all the same.

    That of a `WeakKeyDictionary` would keep its own key for ever.
    """

    def __init__(self) -> None:
        self._owners: WeakSet[Any] = WeakSet()

    def __contains__(self, owner: Owner) -> bool:
        return self in vars(owner).get(_NAME, ())

    def __getitem__(self, owner: Owner) -> T:
        cached: T = vars(owner)[_NAME][self]
        return cached

    def __setitem__(self, owner: Owner, value: T) -> None:
        vars(owner).setdefault(_NAME, {})[self] = value
        self._owners.add(owner)

    @overload
    def get(self, owner: Owner) -> T | None: ...

    @overload
    def get(self, owner: Owner, default: D) -> T | D: ...

    def get(self, owner: Owner, default: object = None) -> object:
        """The value of an owner."""
        return vars(owner).get(_NAME, {}).get(self, default)

    def setdefault(self, owner: Owner, value: T) -> T:
        """The value of an owner, which is this one if it has none yet."""
        cached: T = vars(owner).setdefault(_NAME, {}).setdefault(self, value)
        self._owners.add(owner)
        return cached

    def items(self) -> Iterator[tuple[Owner, T]]:
        """All owners that are there, with their values."""
        for owner in list(self._owners):
            yield owner, self[owner]

    def clear(self) -> None:
        """Forgets all values."""
        for owner in list(self._owners):
            vars(owner)[_NAME].pop(self, None)
        self._owners.clear()
