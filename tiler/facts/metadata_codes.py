"""Metadata of operations, read once: rows of numbers for values, of which most are never looked at.

Hosts that run one program say the same of its instructions: that is one row.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from threading import RLock
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.caches import OwnerCache
from tilescope.tiler.details.instruction_stats import NAME, STAT, WIDTH, StatChoices
from tilescope.tiler.details.page_entries import PageEntries, entries_of
from tilescope.tiler.details.xstat_tables import KEPT_PAGES, XStatTables
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.facts.long_names import LongNames
from tilescope.tiler.facts.stored_metadata import stored_rows
from tilescope.tiler.query import QueryReader
from tilescope.tiler.query.interruptible import finish
from tilescope.tiler.records.device.metadata_rows import StoredRows
from tilescope.tiler.store.two_threads import for_each

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]
Mask = NDArray[np.bool_]
Exact = NDArray[Any]  # 64-bit integers, or Python's where they do not fit

# Room that is made for what instructions say: of each two texts that no other has (its long name, its path in the
# framework), of so many bytes.
_TEXTS: Final = 2
_BYTES: Final = 128
_VALUE_BYTES: Final = 32  # of a value beside its bytes
_MAX_ROOM: Final = 1 << 18  # 64 MB of texts

_UNREAD: Final = -1
_LARGEST: Final = int(np.iinfo(np.int64).max)


class StatValues:
    """Values of codes: None, an integer, a float, a text, or bytes that are no UTF-8. Made when looked at."""

    def __init__(self, codes: _native.StatCodes) -> None:
        self._codes = codes
        self.long_names: LongNames | None = None  # that are read only now

    def __getitem__(self, code: int) -> object:
        return self.of(np.array([code], np.int32))[0]

    def of(self, codes: Codes) -> Sequence[object]:
        """The values of some codes. Raises DamagedStore."""
        self._read(codes)
        return self._codes.values(codes)

    def saying(self, codes: Codes, word: str) -> Mask:
        """Mask of codes that stand for a text with a word in it. Raises DamagedStore."""
        is_saying = None if self.long_names is None else self.long_names.saying(codes, word)
        if is_saying is None or self.long_names is None:
            self._read(codes)
            return self._codes.saying(codes, word.encode()).astype(np.bool_)
        return is_saying | self._codes.saying(self.long_names.without(codes), word.encode()).astype(np.bool_)

    def plain_paths(self, codes: Codes, unless: str) -> Mask:
        """Mask of codes that stand for a text whose last character is its only colon; not for one text."""
        return self._codes.plain_paths(codes, unless.encode()).astype(np.bool_)

    def code_of(self, text: str) -> int:
        """The code of a text; -1: it has none."""
        return self._codes.find(text.encode("utf-8", "surrogatepass"))

    def numbers(self, codes: Codes) -> tuple[Exact, Mask]:
        """Values that are integers and not negative, 0 in the place of others; and the mask of them."""
        numbers, are = self._codes.numbers(codes)
        fits = int(numbers.max(initial=0)) <= _LARGEST
        return numbers.astype(np.int64 if fits else object), are.astype(np.bool_)

    def _read(self, codes: Codes) -> None:
        if self.long_names is not None:
            self.long_names.read(codes)


class MetadataCodes:
    """Metadata of a run: rows of codes, each once. Several threads may share it."""

    def __init__(self, reader: QueryReader) -> None:
        self._reader = reader
        self._codes = _native.StatCodes()
        self._values = StatValues(self._codes)
        self._of_numbers: dict[int, Ints] = {}  # by file: of each number of metadata its row, -1 not read yet
        self._of_stats: dict[tuple[int, str], Codes] = {}  # by file and stat: of each number what it says
        self._made = _native.MetadataRows(WIDTH)  # without those that are stored, until one is added
        self._choices = StatChoices()
        self._stored: StoredRows | None = None
        self._lock = RLock()
        self._joined: Codes = np.zeros((0, WIDTH), np.int32)

    def rows_of(self, file: int, tables: XStatTables, numbers: NDArray[np.int32]) -> Iterator[None]:
        """Reads what these numbers say, in steps of some pages. Raises DamagedStore."""
        yield from self._load()
        row_of_number = self._numbers_of(file, tables)
        if bool((row_of_number[numbers] >= 0).all()):
            return
        left = list(entries_of(tables, numbers, row_of_number < 0))
        self._make_room(sum(len(entries.numbers) for entries in left))
        with self._lock:
            into = self._rows if left else self._made
        for first in range(0, len(left), KEPT_PAGES):
            batch = [
                (entries, self._choices.choice_of(tables, entries.plane))
                for entries in left[first : first + KEPT_PAGES]
            ]
            try:
                results = yield from for_each(batch, _read, into, into, records=2)
                for (entries, chosen), read in zip(batch, results, strict=True):
                    with self._lock:
                        row_of_number[entries.numbers] = self._rows_of(entries, read, chosen)
            except (ValueError, LookupError) as error:
                raise _damaged(error) from error
            yield
        row_of_number[numbers] = row_of_number[tables.alike[numbers]]

    def of(self, file: int, numbers: NDArray[np.int32]) -> Ints:
        """The rows of numbers that have been read."""
        return self._of_numbers[file][numbers]

    def column(
        self, file: int, tables: XStatTables, numbers: NDArray[np.int32], stat: str
    ) -> Generator[None, None, Codes]:
        """Codes of a stat for some numbers, in steps of a page. Raises DamagedStore."""
        yield from self._load()
        # Of what is not stored, those who ask for one stat do not wait for all the others.
        codes_of_stat = self._of_stats.setdefault((file, stat), np.full(len(tables), _UNREAD, np.int32))
        rows = self._numbers_of(file, tables)
        are_read = rows >= 0
        codes_of_stat[are_read] = self.matrix[rows[are_read], STAT[stat]]
        for entries in entries_of(tables, numbers, codes_of_stat == _UNREAD):
            with self._lock:
                codes_of_stat[entries.numbers] = self._codes_of(
                    entries, self._choices.choice_of(tables, entries.plane, (stat,))
                )
            yield
        codes: Codes = codes_of_stat[tables.alike[numbers]]
        return codes

    @property
    def matrix(self) -> Codes:
        """All rows, of `NAME`, `LONG_NAME` and `STATS`."""
        with self._lock:
            if len(self._joined) < len(self._made):
                more = self._made.rows(len(self._joined)).reshape(-1, WIDTH)
                self._joined = np.concatenate([self._joined, more])
            return self._joined

    @property
    def size_bytes(self) -> int:
        """About what it takes, long names that were read later left out."""
        stored = self._stored
        values = 0 if stored is None else len(stored.data) + len(stored.forms) * _VALUE_BYTES
        added = (len(self._made) - (0 if stored is None else len(stored.rows))) * (WIDTH * 8 + _TEXTS * _BYTES)
        columns = sum(column.nbytes for column in list(self._of_numbers.values()))
        columns += sum(column.nbytes for column in list(self._of_stats.values()))
        return values + max(added, 0) + self._joined.nbytes + columns

    @property
    def values(self) -> StatValues:
        """Values of the codes of stats and long names."""
        return self._values

    def name(self, code: int) -> str:
        """The name for a code of the column `NAME`."""
        return self._reader.names[code].text if code >= 0 else str(self.values[-2 - code] or "")

    def names(self, codes: Codes) -> Sequence[str]:
        """The names for some codes of the column `NAME`."""
        is_name = codes >= 0
        texts = iter(self._reader.names.texts(codes[is_name].astype(np.int64)))
        return [
            next(texts) if is_known else self.name(code)
            for is_known, code in zip(is_name.tolist(), codes.tolist(), strict=True)
        ]

    def row(
        self, file: int, tables: XStatTables, number: int, stats: Mapping[str, int | float | str | bytes | None]
    ) -> int:
        """That of metadata, -1 none, of which an event says some stats otherwise. Raises DamagedStore."""
        finish(self._load())
        codes = np.zeros(WIDTH, np.int32)
        codes[NAME] = -2
        if 0 <= number < len(tables):
            first = tables.alike[number : number + 1]
            for _ in self.rows_of(file, tables, first):
                pass
            codes = self.matrix[self.of(file, first)[0]].copy()
        for name, value in stats.items():
            if name in STAT:
                codes[STAT[name]] = self._codes.of(value)
        with self._lock:
            return int(self._rows.add(codes)[0])

    def _load(self) -> Generator[None, None, None]:
        """Takes the rows that are stored: before anything else has a code. Raises DamagedStore."""
        if self._stored is not None:
            return
        rows = yield from stored_rows(self._reader)
        with self._lock:
            if self._stored is not None:
                return
            try:
                self._codes.load(rows.forms, rows.ends, np.frombuffer(rows.data, np.uint8), len(rows.text_file))
            except ValueError as error:
                raise _damaged(error) from error
            self._values.long_names = LongNames(self._reader, self._codes, rows)
            self._stored, self._joined = rows, rows.rows

    def _numbers_of(self, file: int, tables: XStatTables) -> Ints:
        """Row of each number of metadata as far as it is known, else -1."""
        rows_of_file = self._of_numbers.get(file)
        if rows_of_file is not None:
            return rows_of_file
        stored = None if self._stored is None else self._stored.files.get(file)
        if stored is not None and len(stored) != len(tables.first):
            raise DamagedStore(f"rows of metadata of file {file} are those of {len(stored):,} entries")
        rows = np.full(len(tables), -1) if stored is None else stored[tables.place].astype(np.int64)
        return self._of_numbers.setdefault(file, rows)

    @property
    def _rows(self) -> _native.MetadataRows:
        """All rows, to find one in them or to add one. To be called with the lock."""
        if len(self._made) < len(self._joined):
            self._made.add(self._joined.ravel())
            if len(self._made) != len(self._joined):
                raise DamagedStore("rows of metadata that are there twice")
        return self._made

    def _make_room(self, entries: int) -> None:
        """Reserves memory for the first rows: what grows by and by is copied again and again."""
        with self._lock:
            if not len(self._made):
                self._made.reserve(min(entries, _MAX_ROOM))
                self._codes.reserve(*(min(entries, _MAX_ROOM) * size for size in (_TEXTS, _TEXTS * _BYTES)))

    def _rows_of(self, entries: PageEntries, read: _native.ReadEntries, chosen: _native.ChosenStats) -> Ints:
        return read.rows(self._rows, self._codes, entries.coded_names(self._codes), chosen)

    def _codes_of(self, entries: PageEntries, chosen: _native.ChosenStats) -> Codes:
        """Codes of one stat of some entries."""
        try:
            return entries.read_stat(self._codes, chosen)
        except (ValueError, LookupError) as error:
            raise _damaged(error) from error


def _read(item: tuple[PageEntries, _native.ChosenStats], rows: _native.MetadataRows) -> _native.ReadEntries:
    """The rows of some entries. Two threads may do it."""
    entries, chosen = item
    return entries.read(rows, chosen)


def _damaged(error: Exception) -> DamagedStore:
    return DamagedStore(f"metadata of operations that makes no sense: {error}")


_CODES: Final = OwnerCache[QueryReader, MetadataCodes](
    "metadata", "Metadata of operations, as rows of codes", lambda value: value.size_bytes, grows=True
)


def metadata_codes(reader: QueryReader) -> MetadataCodes:
    """Codes of a build, cached. What was read with one object stays with it: a later call may return a new one."""
    return _CODES.get(reader) or _CODES.keep(reader, MetadataCodes(reader))


def keep_metadata_codes(reader: QueryReader, codes: MetadataCodes) -> None:
    """Has codes of a build count as used now; caches them again, if there are none any more."""
    _CODES.keep(reader, codes)
