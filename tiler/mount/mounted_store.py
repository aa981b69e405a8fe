"""The `Store` of a run of shards."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from tilescope.tiler.mount.bases import Bases
from tilescope.tiler.mount.merged_lists import (
    attachment_list,
    merged_origins,
    no_metadata_rows,
    overview_page,
    table_list,
)
from tilescope.tiler.mount.merged_manifest import merged_internals
from tilescope.tiler.mount.merged_tree import host_names, in_screen_order, merged_tree
from tilescope.tiler.mount.run_families import run_families
from tilescope.tiler.mount.shard_records import ShardRecords
from tilescope.tiler.mount.translation import translated
from tilescope.tiler.pages import compress
from tilescope.tiler.query.names import Names
from tilescope.tiler.records.attachments import ATTACHMENTS
from tilescope.tiler.records.catalogue import RECORDS
from tilescope.tiler.records.device.metadata_rows import METADATA_ROWS
from tilescope.tiler.records.manifest import MANIFEST
from tilescope.tiler.records.names import NAMES
from tilescope.tiler.records.origins import ORIGINS
from tilescope.tiler.records.overview import OVERVIEW
from tilescope.tiler.records.record import Record
from tilescope.tiler.records.tables import TABLES
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.store.store import Entry, NumberedRecord

_FAMILY_KINDS: Final = frozenset({"slice", "async", "instant"})


class MountedStore:
    """Shards of one axis, as one run. They are closed with it."""

    is_growing = False
    fetch = None  # shards are on this machine

    def __init__(self, path: Path, shards: Sequence[ShardRecords], notes: Sequence[str]) -> None:
        """`notes`: lines on what is missing. There is at least one shard. Raises DamagedStore."""
        self.location = str(path)
        bases, self._mounted = Bases(), list[tuple[ShardRecords, Bases]]()
        for shard in in_screen_order(shards):
            self._mounted.append((shard, bases))
            bases = shard.next_bases(bases)
        self._starts = {
            name: [base.of_number(name) or 0 for _, base in self._mounted]
            for name in ("block", "track", "file", "attachment", "table", "carrier")
        }
        self._internals = merged_internals(self._mounted, notes)
        self._public: dict[str, Any] = self._internals["public"]
        self.build: str = self._public["build"]
        hosts = host_names(self._mounted)
        # Records without numbers, and how they are made.
        self._makers: Mapping[Record, Callable[[], bytes]] = {
            MANIFEST: lambda: compress(_json(self.internals())),
            TRACKS: lambda: compress(_json(merged_tree(self._mounted))),
            ATTACHMENTS: lambda: attachment_list(self._mounted, hosts),
            TABLES: lambda: table_list(self._mounted, hosts),
            ORIGINS: lambda: merged_origins(self._mounted, len(self._internals["tracks"])),
        }
        self._made: dict[Record, bytes] = {}
        self._metadata_rows = list(no_metadata_rows())
        # All shards of an axis have one table of names, as far as it goes.
        self._named = max((shard for shard, _ in self._mounted), key=lambda shard: int(shard.public["names"]["count"]))

    def ungated(self) -> MountedStore:
        """Returns itself: all of it is there."""
        return self

    def get(self, record: Record, *numbers: int) -> bytes | None:
        """Returns the record with these numbers; None where there is none. Raises DamagedStore."""
        if not record.numbers or record.numbers[0] not in self._starts:
            return self._of_run(record, *numbers)
        shard, bases, own = self._place(record, numbers[0])
        value = shard.store.get(record, own, *numbers[1:])
        return None if value is None else translated(record, numbers[0], value, bases)

    def at_most(self, record: Record, *numbers: int) -> NumberedRecord | None:
        """Returns the record with these numbers but the last, which is the greatest that is not above this one."""
        if not record.numbers or record.numbers[0] not in self._starts:
            return max((entry for entry in self.scan(record) if entry[0] <= numbers), default=None)
        if len(numbers) == 1:
            return self._last_of(record, numbers[0])
        shard, bases, own = self._place(record, numbers[0])
        entry = shard.store.at_most(record, own, *numbers[1:])
        if entry is None:
            return None
        return (numbers[0], *entry[0][1:]), translated(record, numbers[0], entry[1], bases)

    def scan(self, record: Record, *numbers: int, start: int = 0) -> Iterator[NumberedRecord]:
        """Yields the records whose first numbers are these, in order; the next number is `start` or greater."""
        if not record.numbers or record.numbers[0] not in self._starts:
            yield from self._scan_run(record, numbers, start)
            return
        if numbers:
            shard, bases, own = self._place(record, numbers[0])
            for place, value in shard.store.scan(record, own, *numbers[1:], start=start):
                yield (numbers[0], *place[1:]), translated(record, numbers[0], value, bases)
            return
        name = record.numbers[0]
        first = self._index(name, start)
        for shard, bases in self._mounted[first:]:
            base = bases.of_number(name) or 0
            for place, value in shard.store.scan(record, start=max(0, start - base)):
                number = place[0] + base
                yield (number, *place[1:]), translated(record, number, value, bases)

    def records(self) -> Iterator[Entry]:
        """Yields all keys and values, in the order of the keys. Raises DamagedStore."""
        for record in RECORDS:
            for numbers, value in self.scan(record):
                yield record.key(*numbers), value

    def manifest(self) -> dict[str, Any]:
        """Returns the manifest of docs/api.md, without the name of the run."""
        size_bytes = sum(int(shard.public["store_bytes"]) for shard, _ in self._mounted)
        return {**self._public, "families": self._families, "store_bytes": str(size_bytes)}

    def internals(self) -> Mapping[str, Any]:
        """Returns the whole manifest as a store would keep it."""
        return {**self._internals, "public": {**self._public, "families": self._families}}

    def close(self) -> None:
        """Closes all shards, and lets others remove them."""
        for shard, _ in self._mounted:
            shard.store.close()

    @cached_property
    def _families(self) -> list[str]:
        return run_families(self, self._internals["tracks"], _FAMILY_KINDS, Names(self._named.store))

    def _of_run(self, record: Record, *numbers: int) -> bytes | None:
        """A record that the run has once."""
        if record is NAMES:
            return self._named.store.get(NAMES, *numbers)
        if record is METADATA_ROWS:
            return self._metadata_rows[numbers[0]] if 0 <= numbers[0] < len(self._metadata_rows) else None
        if record is OVERVIEW:
            grid = self._public["overview"]
            return overview_page(self._mounted, grid["level"], numbers[0]) if 0 <= numbers[0] < grid["pages"] else None
        if record not in self._makers:
            return None
        if record not in self._made:
            self._made[record] = self._makers[record]()
        return self._made[record]

    def _scan_run(self, record: Record, numbers: tuple[int, ...], start: int) -> Iterator[NumberedRecord]:
        if not record.numbers or numbers:
            value = self._of_run(record, *numbers)
            if value is not None:
                yield numbers, value
            return
        number = start
        while (value := self._of_run(record, number)) is not None:
            yield (number,), value
            number += 1

    def _index(self, name: str, number: int) -> int:
        """The shard that a number is of, by the name of the number."""
        return max(0, bisect_right(self._starts[name], number) - 1)

    def _place(self, record: Record, number: int) -> tuple[ShardRecords, Bases, int]:
        """The shard of a record by the first number of its key, its bases, and the number in that shard."""
        name = record.numbers[0]
        shard, bases = self._mounted[self._index(name, number)]
        return shard, bases, number - (bases.of_number(name) or 0)

    def _last_of(self, record: Record, number: int) -> NumberedRecord | None:
        """The record with the greatest first number that is not above this one, of records with no other number."""
        name = record.numbers[0]
        for shard, bases in reversed(self._mounted[: self._index(name, number) + 1]):
            base = bases.of_number(name) or 0
            entry = shard.store.at_most(record, number - base)
            if entry is not None:
                place = entry[0][0] + base
                return (place,), translated(record, place, entry[1], bases)
        return None


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
