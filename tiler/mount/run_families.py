"""The busiest families of a mounted run, from the sums of its names."""

from __future__ import annotations

from collections import Counter

from tilescope.tiler.mount.mounted import Mounted
from tilescope.tiler.query.names import Names
from tilescope.tiler.schema import FAMILY_NAMES, busiest_families
from tilescope.tiler.store.store import Store


def run_families(mounted: Mounted) -> list[str]:
    """The busiest families of the slices of all shards, of the kinds that have names and durations.

    Raises StoreError.
    """
    busy: Counter[int] = Counter()
    for shard, _, _ in mounted.present():
        busy.update(shard.busy)
    busiest = sorted((-ticks, name) for name, ticks in busy.items())[:FAMILY_NAMES]
    names = Names(most_names(mounted))
    return busiest_families((*_text_and_category(names, name), -ticks) for ticks, name in busiest)


def most_names(mounted: Mounted) -> Store:
    """The store that has the names of all others: shards of an axis have one table, each as far as it goes."""
    shards = [shard for shard, _, _ in mounted.present()]
    return max(shards, key=lambda shard: int(shard.public["names"]["count"])).store


def _text_and_category(names: Names, name: int) -> tuple[str, str]:
    entry = names[name]
    return entry.text, entry.category
