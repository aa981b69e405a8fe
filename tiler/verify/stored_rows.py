"""The rows of metadata that are stored say what the metadata says: each entry is read once more, stat by stat."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tilescope.tiler.details.instruction_stats import LONG_NAME, NAME, STATS, WORDS
from tilescope.tiler.details.typed_stats import typed_stats
from tilescope.tiler.details.wire import WireDamage
from tilescope.tiler.details.xstat_tables import ENTRIES_PER_PAGE, XStatTables
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.lookup.arguments import event_metadata
from tilescope.tiler.records.device.metadata_rows import MAX_BYTES, MAX_ROWS, METADATA_ROWS, StoredRows
from tilescope.tiler.records.record import Record
from tilescope.tiler.store.store import Store
from tilescope.tiler.verify.page_reader import inflate
from tilescope.tiler.verify.prover import Take
from tilescope.tiler.verify.report import Tally

# A value with what tells it from others that are equal in Python; None: nothing.
_Value = tuple[str, object] | None
_Row = tuple[int | _Value, ...]  # the id of the name or a name, the long name, and the stats

_PLACE: Final = {name: place for place, name in enumerate(STATS)}
_SMALL: Final = 1 << 30
_ZERO: Final = -(1 << 31)
_FORMS: Final = {1: "text", 2: "bytes", 3: "number", 4: "number", 5: "real"}


class StoredRowsCheck:
    """Takes all chunks in the order of their keys."""

    def __init__(self, store: Store, files: int, tally: Tally) -> None:
        self._store = store
        self._files = files
        self._tally = tally
        self._chunks: list[bytes] = []

    @property
    def takes(self) -> Mapping[Record, Take]:
        """Its kinds of records."""
        return {METADATA_ROWS: self.take}

    def take(self, key: bytes, value: bytes) -> None:
        """The next chunk. Raises DamagedStore."""
        if key != METADATA_ROWS.key(len(self._chunks)):
            raise self._error(f"chunk {len(self._chunks)} of the rows of metadata is missing")
        self._chunks.append(inflate(value))

    def finish(self) -> None:
        """All chunks have been taken. Raises DamagedStore."""
        tables = {
            file: metadata for file in range(self._files) if (metadata := event_metadata(self._store, file)) is not None
        }
        if not tables and not self._chunks:
            return
        try:
            stored = StoredRows.of_chunks(self._chunks)
        except (ValueError, LookupError, TypeError) as error:
            raise self._error(f"the rows of metadata are damaged: {error}") from error
        if self._chunks and list(map(inflate, stored.chunks())) != self._chunks:
            raise self._error("the rows of metadata have bytes that nobody reads")
        plain = _PlainRows()
        of_files = {file: plain.of_file(file_tables) for file, file_tables in tables.items()}
        if plain.are_too_many:
            if len(stored.rows) or stored.files:
                raise self._error("there are rows of metadata where there is too much of it")
            return
        if set(stored.files) != {file for file, file_rows in of_files.items() if file_rows}:
            raise self._error("the rows of metadata are of other files than have some")
        if len(stored.rows) != len(plain.rows):
            raise self._error(f"there are {len(stored.rows):,} rows of metadata, and {len(plain.rows):,} in its tables")
        values = _Values(stored, tables)
        try:
            rows = [_row_values(row, values) for row in stored.rows.tolist()]
            if values.words() != stored.text_words.tolist():
                raise self._error("the rows of metadata say other words of long names than are in these")
        except (ValueError, LookupError) as error:
            raise self._error(f"the rows of metadata are damaged: {error}") from error
        for file, rows_of_file in stored.files.items():
            if len(rows_of_file) != len(tables[file].first):
                raise self._error(f"the rows of metadata of file {file} are those of {len(rows_of_file):,} entries")
            for entry, row in enumerate(rows_of_file.tolist()):
                expected = of_files[file].get(entry)
                if (None if row < 0 else rows[row]) != expected:
                    raise self._error(f"the row of entry {entry} of the metadata of file {file} says something else")
        self._tally["metadata_rows"] += len(rows)

    def _error(self, what: str) -> DamagedStore:
        return DamagedStore(f"{self._store.location}: {what}")


class _PlainRows:
    """Reads entries one by one."""

    def __init__(self) -> None:
        self.rows: set[_Row] = set()
        self.are_too_many = False
        self._values: set[tuple[str, object]] = set()
        self._bytes = 0
        # Hosts that run one program say the same.
        self._row_by_content: dict[tuple[int, int, str, bytes, bytes], _Row] = {}
        self._names: dict[tuple[tuple[int, str], ...], int] = {}

    def of_file(self, tables: XStatTables) -> dict[int, _Row]:
        """Rows by entry, for entries of planes with such stats."""
        rows_by_entry: dict[int, _Row] = {}
        says = [not _PLACE.keys().isdisjoint(plane_metadata.stat_names.values()) for plane_metadata in tables.planes]
        called = [
            self._names.setdefault(tuple(plane_metadata.stat_names.items()), len(self._names))
            for plane_metadata in tables.planes
        ]
        # An entry may be shared by planes: they call their stats the same.
        wanted = {int(tables.place[number]) for number, plane in enumerate(tables.plane.tolist()) if says[plane]}
        for entry in sorted(wanted):
            if self.are_too_many:
                break
            number = int(tables.first[entry])
            plane = int(tables.plane[number])
            page, position = divmod(entry, ENTRIES_PER_PAGE)
            stats, (names, long_names) = tables.stats_page(page).entry(position), tables.texts_page(page)
            name = int(tables.name[number])
            unused = names.entry(position).decode() if name < 0 else ""
            key = called[plane], name, unused, stats, long_names.entry(position)
            if key not in self._row_by_content:
                self._row_by_content[key] = self._row(
                    name, unused, long_names.entry(position).decode(), stats, tables, plane
                )
            rows_by_entry[entry] = self._row_by_content[key]
            self.are_too_many = len(self.rows) > MAX_ROWS or self._bytes > MAX_BYTES
        return rows_by_entry

    def _row(self, name: int, unused: str, long_name: str, stats: bytes, tables: XStatTables, plane: int) -> _Row:
        stats_row: list[_Value] = [None] * len(STATS)
        try:
            for stat in typed_stats(stats, tables.planes[plane].stat_names):
                if stat.name in _PLACE:
                    stats_row[_PLACE[stat.name]] = _value(stat.value)
        except WireDamage:
            stats_row = [None] * len(STATS)
        row: _Row = (name if name >= 0 else _value(unused), _value(long_name), *stats_row)
        self.rows.add(row)
        for value in row:
            if isinstance(value, tuple) and value not in self._values:
                self._values.add(value)
                self._bytes += _size(value)
        return row


class _Values:
    """Values by the numbers of stored rows."""

    def __init__(self, stored: StoredRows, tables: Mapping[int, XStatTables]) -> None:
        self._stored = stored
        begins = [0, *stored.ends[:-1].tolist()]
        pieces = (stored.data[first:last] for first, last in zip(begins, stored.ends.tolist(), strict=False))
        self._by_code = [None, *map(_stored_value, stored.forms.tolist(), pieces), *_texts(stored, tables)]

    def __getitem__(self, code: int) -> _Value:
        if code < _ZERO + _SMALL:
            return "number", code - _ZERO
        return self._by_code[code]

    def words(self) -> list[int]:
        """Bits, by long name, of the words in it."""
        texts = [str(value[1]) if value else "" for value in self._by_code[self._stored.first_text :]]
        return [sum((word in text) << bit for bit, word in enumerate(WORDS)) for text in texts]


def _row_values(row: Sequence[int], values: _Values) -> _Row:
    name: int | _Value = row[NAME] if row[NAME] >= 0 else values[-2 - row[NAME]] if row[NAME] < -1 else None
    return name, *(values[code] for code in row[LONG_NAME:])


def _texts(stored: StoredRows, tables: Mapping[int, XStatTables]) -> Iterator[_Value]:
    for file, entry in zip(stored.text_file.tolist(), stored.text_entry.tolist(), strict=True):
        page, position = divmod(entry, ENTRIES_PER_PAGE)
        yield _value(tables[file].texts_page(page)[1].entry(position).decode())


def _value(value: float | int | str | bytes | None) -> _Value:
    if value is None or value == "":
        return None
    if isinstance(value, float):
        return "real", struct.pack("<d", math.nan if math.isnan(value) else value)
    return ("text" if isinstance(value, str) else "bytes" if isinstance(value, bytes) else "number"), value


def _stored_value(form: int, raw: bytes) -> _Value:
    kind = _FORMS[form]
    if kind == "number":
        return kind, int.from_bytes(raw, "little", signed=form == 4)
    return kind, raw.decode() if kind == "text" else raw


def _size(value: tuple[str, object]) -> int:
    _, content = value
    if isinstance(content, int):
        return 0 if 0 <= content < _SMALL else 8
    return len(content.encode()) if isinstance(content, str) else len(content) if isinstance(content, bytes) else 0
