"""Writes a store as an archive: once through all records for their sizes, once more for their bytes.

All that is kept between the two passes is the key, the size and the place of each record. The file is written from
its first byte to its last, so it may as well go to an object store in parts.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Final, Protocol

import numpy as np
from msgspec import Struct

from tilescope.tiler.errors import DamagedStore, StoredLast
from tilescope.tiler.pages.compress import compress
from tilescope.tiler.records.answers import ANSWERS
from tilescope.tiler.records.catalogue import describe, record_of
from tilescope.tiler.records.manifest import MANIFEST
from tilescope.tiler.schema import ClockShift
from tilescope.tiler.store.archive.entry_table import ArrangedEntries, EntryTable
from tilescope.tiler.store.archive.header import HEADER_BYTES, Header
from tilescope.tiler.store.archive.left_out import checked_parts, records_of
from tilescope.tiler.store.archive.manifest_marks import marked_manifest
from tilescope.tiler.store.archive.pieces import first_bytes, record_key, residual_key
from tilescope.tiler.store.checksum import CHECKSUM_BYTES, sealed
from tilescope.tiler.store.store import Store
from tilescope.tiler.store.validation import must_make_sense

# Called with the share of the work that is done, 0 to 1, and what is being done. May raise Cancelled.
ArchiveProgress = Callable[[float, str], None]

_SIZING_SHARE: Final = 0.4  # of the time, measured on 10 M events (2026-11-30)
_REPORT_RECORDS: Final = 64


class Output(Protocol):
    """Takes bytes, in order."""

    def write(self, data: bytes, /) -> object: ...


class ArchiveSummary(Struct, frozen=True):
    """Sizes of an archive that was written."""

    records: int
    size_bytes: int
    boot_bytes: int  # up to the end of the boot section
    directory_bytes: int  # of root and leaves
    root_bytes: int
    left_out_bytes: int


def write_archive(
    store: Store,
    output: Output,
    *,
    without: Collection[str] = (),
    answers: Mapping[str, bytes] | None = None,
    shifts: Sequence[ClockShift] = (),
    progress: ArchiveProgress | None = None,
) -> ArchiveSummary:
    """Writes all records of a published store but the parts `without`, and `answers`: JSON by the name of the tool.

    `shifts` of clocks stand beside a store, and in an archive of it: without any it has those of the store's manifest.
    Raises StoredLast for a store that grows, UsageError for an unknown part, DamagedStore, and what `progress` raises.
    """
    if store.is_growing:
        raise StoredLast("the run is still being indexed: it can be archived when that is done")
    parts = checked_parts(without)
    report = progress or (lambda _fraction, _what: None)
    return _ArchiveWriter(store, parts, answers or {}, shifts, report).write(output)


class _ArchiveWriter:
    """Writes one archive."""

    def __init__(
        self,
        store: Store,
        parts: tuple[str, ...],
        answers: Mapping[str, bytes],
        shifts: Sequence[ClockShift],
        progress: ArchiveProgress,
    ) -> None:
        self._store = store
        self._progress = progress
        self._lacking = records_of(parts)
        self._work_bytes = max(1, int(store.manifest()["store_bytes"]))
        self._left_out_bytes = 0
        # Records that the store has not, or has otherwise.
        self._own = {ANSWERS.key(number): compress(answer) for number, answer in enumerate(answers.values())}
        if parts or answers or shifts:
            manifest = marked_manifest(store.internals(), parts, answers, shifts)
            self._own[MANIFEST.key()] = compress(json.dumps(manifest).encode())

    def write(self, output: Output) -> ArchiveSummary:
        """Writes it, and returns its sizes."""
        entries = self._sizes().arranged(self._root_level())
        leaves = list(entries.leaves())
        root = entries.root(np.array([len(leaf) for leaf in leaves], np.int64))
        boot_directory = entries.boot_directory()
        header = _header(self._store.build, entries, root, boot_directory, sum(map(len, leaves)))
        for part in (header.encode(), root, boot_directory):
            output.write(part)
        written = 0
        for number, (key, size) in enumerate(entries.in_order()):
            if number == header.boot_records:
                for leaf in leaves:
                    output.write(leaf)
                leaves.clear()
            output.write(self._record(key, size))
            written += size
            if number % _REPORT_RECORDS == 0:
                self._progress(_SIZING_SHARE + (1 - _SIZING_SHARE) * written / entries.size_bytes, "writing")
        for leaf in leaves:  # all records are boot records
            output.write(leaf)
        self._progress(1.0, "done")
        return ArchiveSummary(
            records=len(entries),
            size_bytes=header.size,
            boot_bytes=header.leaves_start,
            directory_bytes=header.root_bytes + header.leaves_bytes,
            root_bytes=header.root_bytes,
            left_out_bytes=self._left_out_bytes,
        )

    def _sizes(self) -> EntryTable:
        table = EntryTable(self._store.location)
        read = 0
        for number, (key, size) in enumerate(self._entry_sizes()):
            table.add(key, size)
            read += size
            if number % _REPORT_RECORDS == 0:
                self._progress(min(1.0, read / self._work_bytes) * _SIZING_SHARE, "measuring")
        return table

    def _entry_sizes(self) -> Iterator[tuple[bytes, int]]:
        """Keys and sizes of pieces, in the order of keys of each kind."""
        further = sorted(self._own.keys() - {MANIFEST.key()})
        for key, value in self._store.records():
            record = record_of(key)
            if record is ANSWERS and further:  # of an archive: these take their place
                continue
            if record in self._lacking:
                self._left_out_bytes += len(value) + CHECKSUM_BYTES
                continue
            value = self._own.get(key, value)
            size = len(value) if record is None else first_bytes(record, value)
            yield key, size
            if size < len(value):
                yield residual_key(key), len(value) - size
        yield from ((key, len(self._own[key])) for key in further)  # no kind comes after answers

    def _record(self, key: bytes, size: int) -> bytes:
        value = self._own.get(key) or self._stored(key)
        if value is None or len(value) + CHECKSUM_BYTES != size:
            raise DamagedStore(f"{self._store.location}: {describe(key)}: has changed while it was archived")
        return sealed(key, value)

    def _stored(self, key: bytes) -> bytes | None:
        """A piece of a record of the store; None where it has none."""
        whole_key = record_key(key)
        record = record_of(whole_key)
        assert record is not None, "a key that was made of a record"
        value = self._store.get(record, *record.numbers_in(whole_key))
        if value is None:
            return None
        split = first_bytes(record, value)
        return value[:split] if key == whole_key else value[split:]

    def _root_level(self) -> int:
        with must_make_sense(self._store.location):
            return int(self._store.internals()["public"]["root_level"])


def _header(build: str, entries: ArrangedEntries, root: bytes, boot_directory: bytes, leaves_bytes: int) -> Header:
    sections = (len(root), len(boot_directory), entries.boot_bytes, leaves_bytes)
    data_bytes = entries.size_bytes - entries.boot_bytes
    return Header(
        HEADER_BYTES + sum(sections) + data_bytes,
        build,
        len(entries),
        entries.boot_records,
        *sections,
        data_bytes,
        zlib.crc32(root),
        zlib.crc32(boot_directory),
    )
