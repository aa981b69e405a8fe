"""A published run, read-only: what every transport serves."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec

from tilescope.tiler.errors import DamagedStore, NoStore, StoreVersion
from tilescope.tiler.pages import decompress
from tilescope.tiler.records.manifest import MANIFEST
from tilescope.tiler.records.record import Record
from tilescope.tiler.schema import StoredManifest
from tilescope.tiler.store import generation
from tilescope.tiler.store.build_lock import mark_used
from tilescope.tiler.store.generation_lock import Use, hold
from tilescope.tiler.store.lmdb_reader import LmdbReader
from tilescope.tiler.store.store import Entry, Fetch, NumberedRecord, RecordName, RecordReader, need, unexpected
from tilescope.tiler.store.validation import must_make_sense
from tilescope.tiler.store.version import STORE_VERSION

# Between reading the name of a generation and opening it, a newer one may be published and this one removed.
_OPEN_TRIES: Final = 5


class RunStore:
    """A published run: a `Store` of the records in a file, that of a generation or an archive."""

    is_growing = False  # its answers stay as they are

    def __init__(
        self,
        data: RecordReader,
        location: str,
        release: Callable[[], None] = lambda: None,
        *,
        fetch_keys: Callable[[Sequence[bytes]], None] | None = None,
    ) -> None:
        """`release` is called when the store is closed. `fetch_keys`: `Store.fetch`, by keys.

        Raises StoreVersion or DamagedStore.
        """
        self.location = location
        self.fetch: Fetch | None = None if fetch_keys is None else partial(_fetch, fetch_keys)
        self._release = release
        self._data = data
        self._internals = self._read_internals()
        with must_make_sense(location):
            self.build = msgspec.convert(self._internals["public"], StoredManifest).build

    def ungated(self) -> RunStore:
        """Returns itself: all of it is there."""
        return self

    def get(self, record: Record, *numbers: int) -> bytes | None:
        """Returns the record with these numbers; None where there is none. Raises DamagedStore, as all that reads."""
        try:
            key = record.key(*numbers)
        except struct.error:
            _check_count(record, len(numbers))
            return None
        return self._data.get(key)

    def at_most(self, record: Record, *numbers: int) -> NumberedRecord | None:
        """Returns the record with these numbers but the last, which is the greatest that is not above this one."""
        try:
            key, prefix = record.key(*numbers), record.prefix(*numbers[:-1])
        except struct.error:
            _check_count(record, len(numbers))
            return None
        entry = self._data.last_at_most(key, prefix)
        return None if entry is None else (self._numbers(record, entry[0]), entry[1])

    def scan(self, record: Record, *numbers: int, start: int = 0) -> Iterator[NumberedRecord]:
        """Yields the records whose first numbers are these, in order; the next number is `start` or greater."""
        try:
            prefix = record.prefix(*numbers)
            first = record.prefix(*numbers, start) if start else prefix
        except struct.error:  # a number that no key has
            return iter(())
        return ((self._numbers(record, key), value) for key, value in self._data.scan(first, prefix))

    def records(self) -> Iterator[Entry]:
        """Yields all keys and values, in the order of the keys. Raises DamagedStore, too few at the end."""
        count = 0
        for entry in self._data.scan(b""):
            count += 1
            yield entry
        if count != self._data.count():
            raise DamagedStore(f"{self.location}: {count:,} records were found of {self._data.count():,}")

    def manifest(self) -> dict[str, Any]:
        """Returns the manifest of docs/api.md, without the name of the run."""
        return {**self._internals["public"], "store_bytes": str(self._data.size_bytes())}

    def internals(self) -> Mapping[str, Any]:
        """Returns the whole manifest as it is stored, with what the API does not show."""
        return self._internals

    def close(self) -> None:
        """Closes the store, and lets others remove it."""
        self._data.close()
        self._release()

    def _numbers(self, record: Record, key: bytes) -> tuple[int, ...]:
        try:
            return record.numbers_in(key)
        except struct.error:
            raise unexpected(self.location, key) from None

    def _read_internals(self) -> Mapping[str, Any]:
        record = need(self, MANIFEST)
        try:
            manifest = json.loads(decompress(record))
        except (ValueError, RecursionError, DamagedStore) as error:
            raise DamagedStore(f"{self.location}: the manifest is damaged (index the trace again)") from error
        if not isinstance(manifest, dict):
            raise DamagedStore(f"{self.location}: the manifest is damaged (index the trace again)")
        if manifest.get("version") != STORE_VERSION:
            raise StoreVersion(
                f"{self.location}: written as store version {manifest.get('version')}, this is version {STORE_VERSION} "
                "(index the trace again)"
            )
        return manifest


def open_run_store(path: Path) -> RunStore:
    """Opens the published generation of the store at `path`, which nobody removes until it is closed.

    Raises NoStore, StoreVersion or DamagedStore.
    """
    for _ in range(_OPEN_TRIES):
        folder = generation.current(path)
        use = hold(folder)
        if use is not None:
            return _open(folder, path, use)
    raise NoStore(f"{folder}: there is no index here")


def open_generation(path: Path, build: str) -> RunStore:
    """Opens a generation of the store at `path` that was published, be it the current one or not, and stays as above.

    Raises NoStore when it was removed, StoreVersion or DamagedStore.
    """
    folder = path / f"gen-{build}"
    use = hold(folder)
    if use is None:
        raise NoStore(f"{path}: there is no build {build} any more")
    return _open(folder, path, use)


def _open(folder: Path, path: Path, use: Use) -> RunStore:
    try:
        data = LmdbReader(folder)
        try:
            store = RunStore(data, str(path), partial(give_back, path, use))
        except BaseException:
            data.close()
            raise
    except BaseException:
        use.close()
        raise
    mark_used(path)
    return store


def give_back(path: Path, use: Use) -> None:
    """Lets others remove the generation, and notes that the store at `path` was used until now."""
    use.close()
    mark_used(path)


def _fetch(fetch_keys: Callable[[Sequence[bytes]], None], names: Sequence[RecordName]) -> None:
    keys = []
    for record, numbers in names:
        with suppress(struct.error):  # a number that no key has
            keys.append(record.key(*numbers))
    fetch_keys(keys)


def _check_count(record: Record, count: int) -> None:
    """Raises struct.error where keys of a record have more or fewer numbers: a mistake of the caller."""
    if count != len(record.numbers):
        raise struct.error(f"{count} numbers for {record}")
