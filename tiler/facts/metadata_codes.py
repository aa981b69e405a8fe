"""What the metadata of operations says, read once: rows of numbers for values, of which most are never looked at.

Hosts that run one program say the same of its instructions: that is one row.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from threading import RLock
from typing import Any, Final
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.details.xstat_tables import KEPT_PAGES, XStatTables
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.facts.page_entries import PageEntries, entries_of
from tilescope.tiler.kept_with import KeptWith
from tilescope.tiler.query import QueryReader
from tilescope.tiler.store.two_threads import for_each

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]
Mask = NDArray[np.bool_]
Exact = NDArray[Any]  # 64-bit integers, or Python's where they do not fit

_Choice = tuple[tuple[tuple[int, ...], ...], frozenset[tuple[int, str]]]  # ids of stats, and what all are called

CATEGORY: Final = "hlo_category"

# Stats that are read.
STATS: Final = (
    "program_id",
    CATEGORY,
    "tf_op",
    "source",
    "source_stack",
    "shape_with_layout",
    "deduplicated_name",
    "symbol_id",
    "flops",
    "model_flops",
    "bytes_accessed",
    "memory_access_breakdown",
)
# Before these, in a row: the name of the events, by its id in the run or -2 and less, and the long name.
NAME: Final = 0
LONG_NAME: Final = 1
STAT: Final = {name: at + 2 for at, name in enumerate(STATS)}
_WIDTH: Final = len(STATS) + 2

# Room that is made for what instructions say: of each two texts that no other has (its long name, its path in the
# framework), of so many bytes.
_TEXTS: Final = 2
_BYTES: Final = 128
_MAX_ROOM: Final = 1 << 18  # 64 MB of texts

_UNREAD: Final = -1
_LARGEST: Final = int(np.iinfo(np.int64).max)


class StatValues:
    """What codes stand for: None, an integer, a float, a text, or bytes that are no UTF-8. Made when looked at."""

    def __init__(self, codes: _native.StatCodes) -> None:
        self._codes = codes

    def __getitem__(self, code: int) -> object:
        return self._codes.value(code)

    def of(self, codes: Codes) -> Sequence[object]:
        """Those of some codes."""
        return self._codes.values(codes)

    def saying(self, codes: Codes, word: str) -> Mask:
        """Which of some codes stand for a text with a word in it."""
        return self._codes.saying(codes, word.encode()).astype(np.bool_)

    def plain_paths(self, codes: Codes, unless: str) -> Mask:
        """Which of some codes stand for a text whose last character is its only colon; not for one text."""
        return self._codes.plain_paths(codes, unless.encode()).astype(np.bool_)

    def code_of(self, text: str) -> int:
        """The code of a text; -1: it has none."""
        return self._codes.find(text.encode("utf-8", "surrogatepass"))

    def numbers(self, codes: Codes) -> tuple[Exact, Mask]:
        """Those that are integers and not negative, 0 in the place of others; and which they are."""
        numbers, are = self._codes.numbers(codes)
        fits = int(numbers.max(initial=0)) <= _LARGEST
        return numbers.astype(np.int64 if fits else object), are.astype(np.bool_)


class MetadataCodes:
    """Of a run: rows of codes, each once. Several threads may share it."""

    def __init__(self, reader: QueryReader) -> None:
        self._reader = reader
        self._codes = _native.StatCodes()
        self._values = StatValues(self._codes)
        self._of_numbers: dict[int, Ints] = {}  # by file: of each number of metadata its row, -1 not read yet
        self._of_stats: dict[tuple[int, str], Codes] = {}  # by file and stat: of each number what it says
        self._rows = _native.MetadataRows(_WIDTH)
        self._choices: dict[_Choice, _native.ChosenStats] = {}
        self._of_planes: WeakKeyDictionary[XStatTables, dict[tuple[int, tuple[str, ...]], _native.ChosenStats]]
        self._of_planes = WeakKeyDictionary()
        self._lock = RLock()
        self._joined: Codes = np.zeros((0, _WIDTH), np.int32)

    def rows_of(self, file: int, tables: XStatTables, numbers: NDArray[np.int32]) -> Iterator[None]:
        """Reads what these numbers say, in steps of some pages. Raises DamagedStore."""
        known = self._of_numbers.setdefault(file, np.full(len(tables), -1))
        left = list(entries_of(tables, numbers, known < 0))
        self._make_room(sum(len(entries.numbers) for entries in left))
        for first in range(0, len(left), KEPT_PAGES):
            some = [(entries, self._chosen(tables, entries.plane)) for entries in left[first : first + KEPT_PAGES]]
            try:
                found = yield from for_each(some, _read, self._rows, self._rows, records=2)
                for (entries, chosen), read in zip(some, found, strict=True):
                    with self._lock:
                        known[entries.numbers] = self._rows_of(entries, read, chosen)
            except (ValueError, LookupError) as error:
                raise _damaged(error) from error
            yield
        known[numbers] = known[tables.alike[numbers]]

    def of(self, file: int, numbers: NDArray[np.int32]) -> Ints:
        """The rows of numbers that have been read."""
        return self._of_numbers[file][numbers]

    def column(
        self, file: int, tables: XStatTables, numbers: NDArray[np.int32], stat: str
    ) -> Generator[None, None, Codes]:
        """Of each of some numbers the code of a stat, in steps of a page. Raises DamagedStore."""
        # Those who ask for one stat do not wait for all the others.
        known = self._of_stats.setdefault((file, stat), np.full(len(tables), _UNREAD, np.int32))
        rows = self._of_numbers.get(file)
        if rows is not None:
            are_read = rows >= 0
            known[are_read] = self.matrix[rows[are_read], STAT[stat]]
        for entries in entries_of(tables, numbers, known == _UNREAD):
            with self._lock:
                known[entries.numbers] = self._codes_of(entries, self._chosen(tables, entries.plane, (stat,)))
            yield
        found: Codes = known[tables.alike[numbers]]
        return found

    @property
    def matrix(self) -> Codes:
        """All rows, of `NAME`, `LONG_NAME` and `STATS`."""
        with self._lock:
            if len(self._joined) < len(self._rows):
                more = self._rows.rows(len(self._joined)).reshape(-1, _WIDTH)
                self._joined = np.concatenate([self._joined, more])
            return self._joined

    @property
    def values(self) -> StatValues:
        """What the codes are of stats and long names."""
        return self._values

    def name(self, code: int) -> str:
        """What the column `NAME` says."""
        return self._reader.names[code].text if code >= 0 else str(self.values[-2 - code] or "")

    def names(self, codes: Codes) -> Sequence[str]:
        """What the column `NAME` says, of some of its codes."""
        known = codes >= 0
        texts = iter(self._reader.names.texts(codes[known].astype(np.int64)))
        return [
            next(texts) if is_known else self.name(code)
            for is_known, code in zip(known.tolist(), codes.tolist(), strict=True)
        ]

    def row(
        self, file: int, tables: XStatTables, number: int, stats: Mapping[str, int | float | str | bytes | None]
    ) -> int:
        """That of metadata, -1 none, of which an event says some stats otherwise. Raises DamagedStore."""
        codes = np.zeros(_WIDTH, np.int32)
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

    def _make_room(self, entries: int) -> None:
        """For the first ones: what grows by and by is copied again and again."""
        with self._lock:
            if not len(self._rows):
                self._rows.reserve(min(entries, _MAX_ROOM))
                self._codes.reserve(*(min(entries, _MAX_ROOM) * of for of in (_TEXTS, _TEXTS * _BYTES)))

    def _rows_of(self, entries: PageEntries, read: _native.ReadEntries, chosen: _native.ChosenStats) -> Ints:
        names = entries.names.copy()
        for place, name in entries.unused_names().items():
            names[place] = -2 - self._codes.of(name)
        return read.rows(self._rows, self._codes, names, chosen)

    def _codes_of(self, entries: PageEntries, chosen: _native.ChosenStats) -> Codes:
        """What one stat says of some entries."""
        try:
            return entries.read_stat(self._codes, chosen)
        except (ValueError, LookupError) as error:
            raise _damaged(error) from error

    def _chosen(self, tables: XStatTables, plane: int, wanted: tuple[str, ...] = STATS) -> _native.ChosenStats:
        known = self._of_planes.setdefault(tables, {})
        key = plane, wanted
        if key not in known:
            of, names = tables.stat_ids(plane), tables.planes[plane].stat_names
            ids = tuple(tuple(of.get(name, ())) for name in wanted)
            # Planes that call their stats the same share what is read of them.
            known[key] = self._choices.setdefault(
                (ids, frozenset(names.items())), _native.ChosenStats(ids, dict(names))
            )
        return known[key]


def _read(item: tuple[PageEntries, _native.ChosenStats], rows: _native.MetadataRows) -> _native.ReadEntries:
    """What some entries say. Two threads may do it."""
    entries, chosen = item
    return entries.read(rows, chosen)


def _damaged(error: Exception) -> DamagedStore:
    return DamagedStore(f"metadata of operations that makes no sense: {error}")


_KNOWN: KeptWith[QueryReader, MetadataCodes] = KeptWith()


def metadata_codes(reader: QueryReader) -> MetadataCodes:
    """Those of a build, kept for the next question."""
    if reader not in _KNOWN:
        _KNOWN[reader] = MetadataCodes(reader)
    return _KNOWN[reader]
