"""An SQLite database of a stranger, read and nothing else.

It is opened as a file that nobody writes: a journal beside it is not replayed. Only tables that have pages of their own
are read: a view could be an endless query, a virtual table the code of an extension. Functions in its schema are not
trusted, sizes are limited, and a statement that goes on and on without a row is ended.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from msgspec import Struct

from tilescope.tiler.errors import DamagedTrace
from tilescope.tiler.printable_text import printable
from tilescope.tiler.readers.source import ByteSource

MAGIC: Final = b"SQLite format 3\0"

Row = tuple[int | float | bytes | None, ...]
Value = tuple[int | str, ...]

_COPY_BYTES: Final = 1 << 20
_BATCH_ROWS: Final = 2048
_LONGEST_VALUE: Final = 64 << 20
_STEP: Final = 1_000_000  # operations of SQLite's machine between two looks
_MOST_STEPS: Final = 1000  # without a row: about ten seconds
_MOST_TABLES: Final = 4096
_SHOWN: Final = 80  # characters of a name
_ADVICE: Final = "export it again"


class Table(Struct, frozen=True):
    """A table with pages of its own."""

    name: str
    columns: frozenset[str]
    key: str | None  # column that is its row id

    @property
    def quoted(self) -> str:
        """Its name in a statement."""
        return '"' + self.name.replace('"', '""') + '"'

    @property
    def shown(self) -> str:
        """Its name in messages."""
        return printable(self.name)[:_SHOWN]

    def has(self, *columns: str) -> bool:
        """True if it has all of these columns."""
        return self.columns.issuperset(columns)


class Database:
    """A database; `tables` are those that can be read, by name. Close it."""

    def __init__(self, path: Path, file: Path, also_close: Callable[[], None] | None = None) -> None:
        """`path` names it in messages, `file` is where it lies. Raises DamagedTrace."""
        self.path = path
        self._also_close = also_close
        self._steps = 0
        address = f"{file.absolute().as_uri()}?mode=ro&immutable=1"
        with self._errors():
            self._connection = sqlite3.connect(address, uri=True, check_same_thread=False, isolation_level=None)
        try:
            with self._errors():
                self._protect()
                self.tables = {table.name: table for table in self._find_tables()}
        except BaseException:
            self._connection.close()
            raise

    @property
    def journal(self) -> Path | None:
        """A journal beside it that has changes which are not in the database; they are not read."""
        journal = self.path.with_name(self.path.name + "-wal")
        return journal if journal.is_file() and journal.stat().st_size else None

    def rows(self, statement: str, *values: int | str | bytes) -> Iterator[list[Row]]:
        """Rows of a statement in batches, texts as bytes. Raises DamagedTrace."""
        self._steps = 0
        with self._errors():
            cursor = self._connection.execute(statement, values)
        while True:
            self._steps = 0
            with self._errors():
                batch = cursor.fetchmany(_BATCH_ROWS)
            if not batch:
                return
            yield batch

    def make(self, statement: str, rows: Iterable[Value] | None = None) -> None:
        """Makes a temporary table, or fills it with rows. Raises DamagedTrace."""
        self._steps = 0
        with self._errors():
            if rows is None:
                self._connection.execute(statement)
            else:
                self._connection.executemany(statement, rows)

    def close(self) -> None:
        """Closes it, and what it was copied from."""
        self._connection.close()
        if self._also_close is not None:
            self._also_close()

    def _protect(self) -> None:
        connection = self._connection
        connection.text_factory = bytes
        connection.set_progress_handler(self._is_endless, _STEP)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        connection.setlimit(sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0)
        for pragma in ("trusted_schema=OFF", "cell_size_check=ON", "temp_store=MEMORY", "mmap_size=0"):
            connection.execute(f"PRAGMA {pragma}")

    def _find_tables(self) -> Iterator[Table]:
        query = "SELECT name FROM main.sqlite_master WHERE type = 'table' AND rootpage > 0 LIMIT ?"
        names = [row[0] for batch in self.rows(query, _MOST_TABLES) for row in batch]
        for name in names:
            if not isinstance(name, bytes):
                continue
            text = name.decode("utf-8", "replace")
            info = [
                row for batch in self.rows("SELECT name, type, pk FROM pragma_table_info(?)", text) for row in batch
            ]
            columns = [row[0].decode("utf-8", "replace") for row in info if isinstance(row[0], bytes)]
            if "rowid" in map(str.lower, columns):
                continue  # rows have no other number then, and each look would read all of them
            keys = [row for row in info if row[2]]
            is_row_id = len(keys) == 1 and isinstance(keys[0][1], bytes) and keys[0][1].upper() == b"INTEGER"
            key = keys[0][0].decode("utf-8", "replace") if is_row_id and isinstance(keys[0][0], bytes) else None
            yield Table(text, frozenset(columns), key)

    def _is_endless(self) -> bool:
        self._steps += 1
        return self._steps > _MOST_STEPS

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, sqlite3.Warning, OverflowError, UnicodeError) as error:
            what = "a statement took too long" if self._steps > _MOST_STEPS else printable(str(error))[:200]
            raise DamagedTrace(self.path, f"the database cannot be read: {what}", advice=_ADVICE) from error


def open_database(source: ByteSource, scratch_dir: Path | None) -> Database:
    """The database that a source holds; it belongs to the database from now on. Raises TraceError.

    What lies elsewhere than in a plain file is copied into `scratch_dir`, until the database is closed.
    """
    if source.file_descriptor() is not None:
        return Database(source.path, source.path, source.close)
    with ExitStack() as opened:
        copy = opened.enter_context(tempfile.NamedTemporaryFile(dir=scratch_dir, prefix="database-", suffix=".sqlite"))
        while piece := source.read(_COPY_BYTES):
            copy.write(piece)
        copy.flush()
        if source.problem is not None:
            raise DamagedTrace(source.path, source.problem)
        opened.callback(source.close)
        return Database(source.path, Path(copy.name), opened.pop_all().close)
