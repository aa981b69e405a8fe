"""The records that a run of shards has once, made of those of its shards: a `Store` of these alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tilescope.tiler.mount.merged_lists import attachment_list, merged_origins, overview_page, table_list
from tilescope.tiler.mount.merged_manifest import merged_internals
from tilescope.tiler.mount.merged_tree import merged_tree
from tilescope.tiler.mount.mounted import Mounted
from tilescope.tiler.mount.run_families import most_names
from tilescope.tiler.pages import compress
from tilescope.tiler.records.attachments import ATTACHMENTS
from tilescope.tiler.records.catalogue import RECORDS
from tilescope.tiler.records.device.metadata_rows import METADATA_ROWS, StoredRows
from tilescope.tiler.records.manifest import MANIFEST
from tilescope.tiler.records.names import NAMES
from tilescope.tiler.records.origins import ORIGINS
from tilescope.tiler.records.overview import OVERVIEW
from tilescope.tiler.records.record import Record
from tilescope.tiler.records.tables import TABLES
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.shards.sharded_run import ShardedRun
from tilescope.tiler.store.store import Entry, NumberedRecord
from tilescope.tiler.store.validation import must_make_sense


class MergedRecords:
    """Each record is made when it is first asked for, and kept."""

    is_growing = False

    fetch = None  # it is on this machine

    def __init__(self, location: str, mounted: Mounted, run: ShardedRun) -> None:
        """`run`: as it was published. At least one shard is there. Raises StoreError."""
        self.location = location
        with must_make_sense(location):
            self._internals = merged_internals(mounted, run)
        self._public: dict[str, Any] = self._internals["public"]
        self.build: str = self._public["build"]
        self._mounted = mounted
        self._makers: Mapping[Record, Callable[[], bytes]] = {
            MANIFEST: lambda: compress(_json(self._internals)),
            TRACKS: lambda: compress(_json(merged_tree(mounted))),
            ATTACHMENTS: lambda: attachment_list(mounted),
            TABLES: lambda: table_list(mounted),
            ORIGINS: lambda: merged_origins(mounted),
        }
        self._made: dict[tuple[Record, int], bytes] = {}
        self._named = most_names(mounted)
        # Those of all files together are not made: tools read the tables of each file.
        self._metadata_rows = list(StoredRows.nothing().chunks())

    def ungated(self) -> MergedRecords:
        """Returns itself: all of it is there."""
        return self

    def get(self, record: Record, *numbers: int) -> bytes | None:
        """Returns the record with these numbers; None where there is none. Raises StoreError."""
        number = numbers[0] if numbers else 0
        if record is NAMES:
            return self._named.get(NAMES, number)
        if record is METADATA_ROWS:
            return self._metadata_rows[number] if 0 <= number < len(self._metadata_rows) else None
        key = record, number
        value = self._made.get(key)
        if value is None:
            with must_make_sense(self.location):
                value = self._merged(record, number)
            if value is not None:
                self._made[key] = value
        return value

    def at_most(self, record: Record, *numbers: int) -> NumberedRecord | None:
        """Returns the record with these numbers but the last, which is the greatest that is not above this one."""
        return max((entry for entry in self.scan(record) if entry[0] <= numbers), default=None)

    def scan(self, record: Record, *numbers: int, start: int = 0) -> Iterator[NumberedRecord]:
        """Yields the records whose first numbers are these, in order; the next number is `start` or greater."""
        if not record.numbers or numbers:
            value = self.get(record, *numbers)
            if value is not None:
                yield numbers, value
            return
        number = start
        while (value := self.get(record, number)) is not None:
            yield (number,), value
            number += 1

    def records(self) -> Iterator[Entry]:
        """Yields all keys and values, in the order of the keys. Raises StoreError."""
        for record in RECORDS:
            if record in self._makers or record in (NAMES, METADATA_ROWS, OVERVIEW):
                for numbers, value in self.scan(record):
                    yield record.key(*numbers), value

    def manifest(self) -> dict[str, Any]:
        """Returns the manifest of docs/api.md, without the name of the run."""
        size_bytes = sum(int(shard.public["store_bytes"]) for shard, _, _ in self._mounted.present())
        return {**self._public, "store_bytes": str(size_bytes)}

    def internals(self) -> Mapping[str, Any]:
        """Returns the whole manifest as a store would keep it."""
        return self._internals

    def close(self) -> None:
        """Does nothing: the shards are of whoever has opened them."""

    def _merged(self, record: Record, number: int) -> bytes | None:
        if record is OVERVIEW:
            grid = self._public["overview"]
            return overview_page(self._mounted, grid["level"], number) if 0 <= number < grid["pages"] else None
        maker = self._makers.get(record)
        return None if maker is None else maker()


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
