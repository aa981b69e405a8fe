"""A store in a dictionary: any records, without a run behind them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from typing import Any

from tests.server.fakes import FakeStore
from tilescope.tiler.pages import compress
from tilescope.tiler.records.catalogue import RECORDS
from tilescope.tiler.records.manifest import MANIFEST
from tilescope.tiler.records.record import KEY_NUMBERS, Record
from tilescope.tiler.records.tiles import PAGE
from tilescope.tiler.records.tracks import BLOCK_TRACKS
from tilescope.tiler.store.store import Entry, NumberedRecord, Store
from tilescope.tiler.store.version import STORE_VERSION

LIMITS = {"B": 1 << 8, "I": 1 << 32, "Q": 1 << 64}
BUILD = "0123456789abcdef01234567"


class DictStore:
    """A `Store` of these records, and of a manifest."""

    is_growing = False
    fetch = None
    build = BUILD
    location = "a dictionary"

    def __init__(self, records: Mapping[bytes, bytes], root_level: int = 7, manifest: bytes | None = None) -> None:
        """`manifest`: the record; by default that of a run."""
        public = {**FakeStore(BUILD).manifest(), "state": "ready", "root_level": root_level, "warnings": []}
        del public["store_bytes"]
        self._internals: dict[str, Any] = {"version": STORE_VERSION, "public": public}
        manifest = compress(json.dumps(self._internals).encode()) if manifest is None else manifest
        self.entries = dict(sorted({**records, MANIFEST.key(): manifest}.items()))

    def ungated(self) -> Store:
        return self

    def get(self, record: Record, *numbers: int) -> bytes | None:
        return self.entries.get(record.key(*numbers))

    def at_most(self, record: Record, *numbers: int) -> NumberedRecord | None:
        key, prefix = record.key(*numbers), record.prefix(*numbers[:-1])
        keys = [candidate for candidate in self.entries if prefix <= candidate <= key and candidate.startswith(prefix)]
        return (record.numbers_in(keys[-1]), self.entries[keys[-1]]) if keys else None

    def scan(self, record: Record, *numbers: int, start: int = 0) -> Iterator[NumberedRecord]:
        prefix = record.prefix(*numbers)
        first = record.prefix(*numbers, start) if start else prefix
        for key, value in self.entries.items():
            if key.startswith(prefix) and key >= first:
                yield record.numbers_in(key), value

    def records(self) -> Iterator[Entry]:
        return iter(self.entries.items())

    def manifest(self) -> dict[str, Any]:
        return {**self._internals["public"], "store_bytes": "1"}

    def internals(self) -> Mapping[str, Any]:
        return self._internals

    def close(self) -> None: ...


def page_value(page: bytes, residual: bytes = b"") -> bytes:
    """The record of a page."""
    return len(page).to_bytes(4, "little") + page + residual


def random_records(seed: int, count: int) -> dict[bytes, bytes]:
    """Records of all kinds that a store may have: numbers close together and at their limits, short values."""
    rng = random.Random(seed)
    kinds = [record for record in RECORDS if record not in (MANIFEST, BLOCK_TRACKS)]
    records: dict[bytes, bytes] = {}
    for _ in range(count):
        record = rng.choice(kinds)
        numbers = []
        for number in record.numbers:
            limit = LIMITS[KEY_NUMBERS[number]]
            numbers.append(rng.choice((rng.randrange(12), rng.randrange(limit), limit - 1 - rng.randrange(3))))
        value = rng.randbytes(rng.choice((0, 1, 30, 300)))
        if record is PAGE:
            split = rng.randrange(len(value) + 1)
            value = page_value(value[:split], value[split:])
        records[record.key(*numbers)] = value
    return records
