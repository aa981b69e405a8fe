"""Base of translations of databases: ranges of rows, progress, and what they leave out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeGuard

from msgspec import Struct

from tilescope.tiler.errors import DamagedTrace
from tilescope.tiler.readers.sqlite.database import Database, Row, Table
from tilescope.tiler.readers.translated.event_text import Event, event_texts, trace_text

_MOST_WARNINGS: Final = 20
_ROWS: Final = 250  # at once: as long as texts may be, one text of all of them is below the limit of the database
_RANGE_ROWS: Final = 1 << 16
_MOST_RANGES: Final = 1024  # of a table


class TableEvents(Struct, frozen=True):
    """Rows of a table that become events: an expression with the JSON of one or several, which is NULL of no event."""

    table: Table
    events: str
    where: str = "1"  # of rows that are not counted where they are no events

    @property
    def statement(self) -> str:
        """Statement for rows from one to another: their JSON as one text, how many they and their events are, the last.

        Many rows at once: for each that Python is given it would wait for the threads that read the text.
        """
        rows = (
            f"SELECT rowid AS row, {self.events} AS event FROM {self.table.quoted} AS t "
            f"WHERE rowid BETWEEN ? AND ? AND {self.where} ORDER BY rowid LIMIT {_ROWS}"
        )
        return f"SELECT group_concat(event,char(10)||','), count(*), count(event), max(row) FROM ({rows})"


class _Range(Struct, frozen=True):
    table_events: TableEvents
    first: int  # row ids
    last: int


class _Batch(Struct, frozen=True):
    table: str
    rows: int
    events: int
    text: bytes
    problem: str = ""


class RowsTranslation:
    """A `Translation` of a database, whatever its tables are: a subclass says what they become."""

    def __init__(self, database: Database, size_bytes: int) -> None:
        self.ignored: dict[str, int] = {}
        self.warnings: list[str] = []
        self.database = database
        self._size_bytes = size_bytes
        self._rows = 0
        self._all_rows = 1
        if database.journal is not None:
            self.warn(f"{database.journal.name} beside it is not read: it may have rows that the database lacks")

    def head(self) -> Iterable[Event]:
        """Metadata events: names of processes and threads. Raises TraceError."""
        raise NotImplementedError

    def tables(self) -> Iterable[TableEvents]:
        """Tables that become events. Raises TraceError."""
        raise NotImplementedError

    def members(self) -> Mapping[str, object]:
        """Members of the object beside its events. Raises TraceError."""
        raise NotImplementedError

    def pieces(self) -> Iterator[bytes]:
        """The text, table by table. What is damaged is left out, with a warning."""
        return trace_text(self._event_texts(), self.members)

    def bytes_read(self) -> int:
        """By the share of rows that were read."""
        return min(self._size_bytes, self._size_bytes * self._rows // self._all_rows)

    def close(self) -> None:
        """Closes the database."""
        self.database.close()

    def small_rows(self, query: str) -> Iterator[Row]:
        """Rows of a table of definitions; none, and a warning, where it is damaged."""
        try:
            for batch in self.database.rows(query):
                yield from batch
        except DamagedTrace as error:
            self.warn(error.what)

    def row_count(self, table: Table) -> int:
        """Number of rows of a table that is left out."""
        return next((row[0] for row in self.small_rows(f"SELECT count(*) FROM {table.quoted}") if _is_id(row[0])), 0)

    def leave_out(self, reason: str, count: int) -> None:
        """Counts what is not read."""
        if count:
            self.ignored[reason] = self.ignored.get(reason, 0) + count

    def warn(self, line: str) -> None:
        """Keeps a warning, of which there may be many."""
        if len(self.warnings) < _MOST_WARNINGS and line not in self.warnings:
            self.warnings.append(line)

    def _event_texts(self) -> Iterator[bytes]:
        yield from event_texts(self.head())
        ranges = [part for table_events in self.tables() for part in self._ranges(table_events)]
        self._all_rows = max(1, sum(part.last - part.first + 1 for part in ranges))
        # One after the other: threads of one process wait for each other in SQLite, which counts the memory of all.
        for batch in (batch for part in ranges for batch in _range_batches(self.database, part)):
            self._rows += batch.rows
            self.leave_out(f"rows_of_{batch.table}", batch.rows - batch.events)
            if batch.problem:
                self.warn(f"{batch.table}: {batch.problem}")
            yield batch.text

    def _ranges(self, table_events: TableEvents) -> Iterator[_Range]:
        """So that damage costs one. Where row ids have gaps, some have fewer rows, or none."""
        table = table_events.table
        try:
            ends = next(
                self.database.rows(
                    f"SELECT (SELECT min(rowid) FROM {table.quoted}), (SELECT max(rowid) FROM {table.quoted})"
                )
            )[0]
        except DamagedTrace:
            ends = (-(1 << 63), (1 << 63) - 1)  # as far as it can be read
        first, last = ends
        if not _is_id(first) or not _is_id(last):
            return
        step = max(_RANGE_ROWS, -(-(last - first + 1) // _MOST_RANGES))
        for begin in range(first, last + 1, step):
            yield _Range(table_events, begin, min(begin + step - 1, last))


def _range_batches(database: Database, part: _Range) -> Iterator[_Batch]:
    """Rows of a range; damage ends it."""
    table, first = part.table_events.table.shown, part.first
    try:
        while first <= part.last:
            batch = next(database.rows(part.table_events.statement, first, part.last), [])
            text, rows, events, last = batch[0] if batch else (None, 0, 0, None)
            if not isinstance(rows, int) or not isinstance(events, int) or not _is_id(last):
                return
            yield _Batch(table, rows, events, text if isinstance(text, bytes) else b"")
            first = last + 1
    except DamagedTrace as error:
        yield _Batch(table, 0, 0, b"", f"{error.what}: rows from {first:,} to {part.last:,} are missing")


def _is_id(value: object) -> TypeGuard[int]:
    return isinstance(value, int)
