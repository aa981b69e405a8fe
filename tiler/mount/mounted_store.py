"""The `Store` of a run of shards."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from tilescope.tiler.mount.bases import Bases
from tilescope.tiler.mount.missing_shard import NO_RECORDS, NoRecords
from tilescope.tiler.mount.shard_place import ShardPlace
from tilescope.tiler.mount.shard_store import ShardHandles, ShardStore
from tilescope.tiler.mount.translation import translated
from tilescope.tiler.records.catalogue import RECORDS
from tilescope.tiler.records.record import Record
from tilescope.tiler.store.store import Entry, NumberedRecord, Store

_NUMBERS: Final = ("block", "track", "file", "attachment", "table", "carrier")

# Where the records of a shard are read.
ShardReader = ShardStore | NoRecords


def is_outdated(store: Store) -> bool:
    """True for a run that has more when it is opened anew: shards that were not there in time can be read by now."""
    return isinstance(store, MountedStore) and store.has_late_shards()


class MountedStore:
    """Shards of one axis, as one run. What the run has once is read from `merged`, all else from the shard it is of."""

    is_growing = False
    fetch = None  # shards are on this machine

    def __init__(
        self,
        location: str,
        merged: Store,
        places: Sequence[ShardPlace],
        readers: Mapping[str, ShardReader],
        handles: ShardHandles,
        has_late_shards: Callable[[], bool] = lambda: False,
    ) -> None:
        """`readers` by the names of shards: what is not there has none. `merged` and `handles` are closed with it.

        `has_late_shards` returns True once shards can be read that were not there in time.
        """
        self.location = location
        self.build = merged.build
        self.has_late_shards = has_late_shards
        self._merged = merged
        self._handles = handles
        self._shards = [(readers.get(place.name, NO_RECORDS), place.bases) for place in places]
        self._starts = {name: [place.bases.of_number(name) or 0 for place in places] for name in _NUMBERS}
        self._store_bytes = sum(place.store_bytes for place in places)

    def ungated(self) -> MountedStore:
        """Returns itself: all of it is there."""
        return self

    def get(self, record: Record, *numbers: int) -> bytes | None:
        """Returns the record with these numbers; None where there is none. Raises StoreError, as all that reads."""
        if self._is_merged(record):
            return self._merged.get(record, *numbers)
        shard, bases, own = self._place(record, numbers[0])
        value = shard.get(record, own, *numbers[1:])
        return None if value is None else translated(record, numbers[0], value, bases)

    def at_most(self, record: Record, *numbers: int) -> NumberedRecord | None:
        """Returns the record with these numbers but the last, which is the greatest that is not above this one."""
        if self._is_merged(record):
            return self._merged.at_most(record, *numbers)
        if len(numbers) == 1:
            return self._last_of(record, numbers[0])
        shard, bases, own = self._place(record, numbers[0])
        entry = shard.at_most(record, own, *numbers[1:])
        if entry is None:
            return None
        return (numbers[0], *entry[0][1:]), translated(record, numbers[0], entry[1], bases)

    def scan(self, record: Record, *numbers: int, start: int = 0) -> Iterator[NumberedRecord]:
        """Yields the records whose first numbers are these, in order; the next number is `start` or greater."""
        if self._is_merged(record):
            yield from self._merged.scan(record, *numbers, start=start)
            return
        if numbers:
            shard, bases, own = self._place(record, numbers[0])
            for place, value in shard.scan(record, own, *numbers[1:], start=start):
                yield (numbers[0], *place[1:]), translated(record, numbers[0], value, bases)
            return
        name = record.numbers[0]
        for shard, bases in self._shards[self._index(name, start) :]:
            base = bases.of_number(name) or 0
            for place, value in shard.scan(record, start=max(0, start - base)):
                number = place[0] + base
                yield (number, *place[1:]), translated(record, number, value, bases)

    def records(self) -> Iterator[Entry]:
        """Yields all keys and values, in the order of the keys."""
        for record in RECORDS:
            for numbers, value in self.scan(record):
                yield record.key(*numbers), value

    def manifest(self) -> dict[str, Any]:
        """Returns the manifest of docs/api.md, without the name of the run."""
        return {**self._merged.manifest(), "store_bytes": str(self._store_bytes)}

    def internals(self) -> Mapping[str, Any]:
        """Returns the whole manifest as a store would keep it."""
        return self._merged.internals()

    def close(self) -> None:
        """Closes all shards, and lets others remove them."""
        self._merged.close()
        self._handles.close()

    def _is_merged(self, record: Record) -> bool:
        """True for what the run has once."""
        return not record.numbers or record.numbers[0] not in self._starts

    def _index(self, name: str, number: int) -> int:
        """The shard that a number is of, by the name of the number."""
        return max(0, bisect_right(self._starts[name], number) - 1)

    def _place(self, record: Record, number: int) -> tuple[ShardReader, Bases, int]:
        """The shard of a record by the first number of its key, its bases, and the number in that shard."""
        name = record.numbers[0]
        shard, bases = self._shards[self._index(name, number)]
        return shard, bases, number - (bases.of_number(name) or 0)

    def _last_of(self, record: Record, number: int) -> NumberedRecord | None:
        """The record with the greatest first number that is not above this one, of records with no other number."""
        name = record.numbers[0]
        for shard, bases in reversed(self._shards[: self._index(name, number) + 1]):
            base = bases.of_number(name) or 0
            entry = shard.at_most(record, number - base)
            if entry is not None:
                place = entry[0][0] + base
                return (place,), translated(record, place, entry[1], bases)
        return None
