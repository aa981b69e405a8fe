"""What is kept with an owner goes with it, whatever refers to what."""

from __future__ import annotations

import gc
import weakref

import pytest

from tilescope.tiler.kept_with import KeptWith


class Thing:
    """Something that is worked out from an owner, or an owner."""

    def __init__(self, owner: Thing | None = None) -> None:
        self.owner = owner


def test_values_are_found_by_their_owners_and_their_table() -> None:
    kept: KeptWith[Thing, int] = KeptWith()
    other: KeptWith[Thing, int] = KeptWith()
    first, second = Thing(), Thing()
    assert first not in kept
    assert (kept.get(first), kept.get(first, 5)) == (None, 5)
    with pytest.raises(KeyError):
        kept[first]
    kept[first] = 1
    assert (kept.setdefault(first, 2), kept.setdefault(second, 3), other.setdefault(first, 4)) == (1, 3, 4)
    assert sorted(value for _, value in kept.items()) == [1, 3]
    kept.clear()
    assert first not in kept
    assert second not in kept
    assert other[first] == 4


def test_a_value_that_refers_to_its_owner_goes_with_it() -> None:
    kept: KeptWith[Thing, Thing] = KeptWith()
    owner = Thing()
    kept[owner] = Thing(owner)
    gone = weakref.ref(owner)
    del owner
    gc.collect()
    assert gone() is None
    assert not list(kept.items())
