"""An archive that was made without some parts of its run: reading one of their records says so."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from tilescope.tiler.errors import NotAvailable
from tilescope.tiler.records.record import Record
from tilescope.tiler.store.archive.left_out import PARTS, reason, records_of
from tilescope.tiler.store.run_store import RunStore
from tilescope.tiler.store.store import Entry, Fetch, NumberedRecord, RecordName


class PartialStore:
    """A `Store` whose left-out records raise NotAvailable: to take them for absent would make answers wrong."""

    is_growing = False

    def __init__(self, store: RunStore, left_out: Collection[str]) -> None:
        """`left_out`: names of PARTS."""
        self._store = store
        self._left_out = tuple(left_out)
        self._lacking = records_of(left_out)
        self.build = store.build
        self.location = store.location
        self.fetch: Fetch | None = None if store.fetch is None else partial(self._fetch, store.fetch)

    def ungated(self) -> PartialStore:
        """Returns itself: all that it has is there."""
        return self

    def get(self, record: Record, *numbers: int) -> bytes | None:
        """As `Store.get`. Raises NotAvailable for what was left out."""
        self._check(record)
        return self._store.get(record, *numbers)

    def at_most(self, record: Record, *numbers: int) -> NumberedRecord | None:
        """As `Store.at_most`. Raises NotAvailable for what was left out."""
        self._check(record)
        return self._store.at_most(record, *numbers)

    def scan(self, record: Record, *numbers: int, start: int = 0) -> Iterator[NumberedRecord]:
        """As `Store.scan`. Raises NotAvailable for what was left out."""
        self._check(record)
        return self._store.scan(record, *numbers, start=start)

    def records(self) -> Iterator[Entry]:
        """Raises NotAvailable: there are not all of them."""
        raise NotAvailable(reason(self._left_out))

    def manifest(self) -> dict[str, Any]:
        """As `Store.manifest`; its warnings say what was left out."""
        return self._store.manifest()

    def internals(self) -> Mapping[str, Any]:
        """As `Store.internals`."""
        return self._store.internals()

    def close(self) -> None:
        """Closes the store."""
        self._store.close()

    def _fetch(self, fetch: Fetch, names: Sequence[RecordName]) -> None:
        fetch([name for name in names if name[0] not in self._lacking])

    def _check(self, record: Record) -> None:
        if record in self._lacking:
            raise NotAvailable(reason([name for name in self._left_out if record in PARTS[name].records]))
