"""Statements bound and run: only what they need of the tables is read, and nothing else can be."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tilescope.tiler.errors import UsageError
from tilescope.tiler.mount import open_run
from tilescope.tiler.query import QueryReader
from tilescope.tiler.sql.answer import Cell, SqlAnswer, SqlColumn, SqlRequest
from tilescope.tiler.sql.database import add_views, load_duckdb, lock, open_database, prepare_plans
from tilescope.tiler.sql.needs import Needs, needs_of
from tilescope.tiler.store.validation import must_make_sense
from tilescope.tiler.system import processors
from tilescope.tiler.tables import TABLES, TableKind, TablePart, scan
from tilescope.tiler.tables.pyarrow_batches import ScanStream, pyarrow_schema
from tilescope.tiler.windows import Windows, everywhere

if TYPE_CHECKING:
    import duckdb

_ROWS_AT_ONCE: Final = 1024
_INT64: Final = 1 << 63


def run_statement(request: SqlRequest) -> SqlAnswer:
    """The rows of a statement. Raises UsageError for one that cannot be run, and `StoreError`s."""
    duckdb = load_duckdb()
    threads = max(processors() - 1, 1)
    path = Path(request.store)
    with (
        closing(open_run(path)) as store,
        must_make_sense(path),
        open_database(request.memory_bytes, threads) as binding,
        open_database(request.memory_bytes, threads) as database,
    ):
        if request.build not in ("", store.build):
            raise UsageError(f"there is no build {request.build} any more: open the run again")
        streams: list[ScanStream] = []
        is_late = threading.Event()
        timer = threading.Timer(request.seconds, _interrupt, (is_late, binding, database))
        timer.daemon = True
        timer.start()
        try:
            reader = QueryReader(store)
            statement = _only_select(request.statement)
            prepare_plans(binding, reader.tick_ps)
            needs = needs_of(binding, statement)
            for name, table_needs in needs.items():
                streams.append(_stream(reader, TABLES[name], table_needs))
                _read(database, name, streams[-1], table_needs)
            add_views(database, reader.tick_ps, {name: table_needs.columns for name, table_needs in needs.items()})
            lock(database)
            return _rows(database, statement, request)
        except duckdb.Error as error:
            for stream in streams:
                if stream.failure is not None:
                    raise stream.failure from None
            if is_late.is_set():
                raise UsageError(f"the statement took longer than {request.seconds:g} s") from None
            raise UsageError(f"SQL: {str(error).splitlines()[0][:500]}") from None
        finally:
            timer.cancel()


def _interrupt(is_late: threading.Event, *databases: duckdb.DuckDBPyConnection) -> None:
    is_late.set()
    for database in databases:
        database.interrupt()


def _only_select(text: str) -> str:
    """The one statement of a text, which selects. Raises UsageError, and the errors of DuckDB."""
    duckdb = load_duckdb()
    statements = duckdb.extract_statements(text)
    if len(statements) != 1:
        raise UsageError(f"one statement is run, and there are {len(statements)}")
    if statements[0].type != duckdb.StatementType.SELECT:
        raise UsageError("only statements that select are run: nothing can be written, set or loaded")
    query: str = statements[0].query
    return query.rstrip().rstrip(";")


def _stream(reader: QueryReader, table: TableKind, needs: Needs) -> ScanStream:
    schema = pyarrow_schema(table, needs.columns, {}, coded=True)
    part = _part(reader, needs)
    return ScanStream(lambda: scan(reader, table, needs.columns, part), schema)


def _read(database: duckdb.DuckDBPyConnection, table: str, rows: ScanStream, needs: Needs) -> None:
    """Has the database read what is needed of a table as it goes; all at once where it is read several times."""
    if needs.scans == 1:
        database.register(f"{table}_read", rows)
    else:
        database.register("rows_to_read", rows)
        database.execute(f"create table {table}_read as select * from rows_to_read")
        database.unregister("rows_to_read")


def _part(reader: QueryReader, needs: Needs) -> TablePart:
    count = len(reader.tree.tracks)
    tracks: Sequence[int] | None = None
    if needs.tracks is not None or needs.first_track > 0 or needs.last_track < count:
        chosen = range(count) if needs.tracks is None else sorted(needs.tracks)
        last = min(needs.last_track, count - 1)
        # A rollup has no events of its own, and stands for its tracks where tracks are chosen.
        tracks = [
            track for track in chosen if needs.first_track <= track <= last and reader.tree.kind(track) != "rollup"
        ]
    return TablePart(tracks, everywhere(Windows.single(needs.first, needs.stop)), needs.names)


def _rows(database: duckdb.DuckDBPyConnection, statement: str, request: SqlRequest) -> SqlAnswer:
    result = database.execute(statement)
    columns = [SqlColumn(name, str(kind)) for name, kind, *_ in result.description or ()]
    rows: list[list[Cell]] = []
    size = 0
    while size <= request.answer_bytes and len(rows) <= request.rows:
        listed = result.fetchmany(min(_ROWS_AT_ONCE, request.rows + 1 - len(rows)))
        if not listed:
            return SqlAnswer(columns, rows, is_cut=False)
        for row in listed:
            cells = [_cell(value) for value in row]
            size += sum(len(cell) if isinstance(cell, str) else 8 for cell in cells)
            if size > request.answer_bytes or len(rows) == request.rows:
                return SqlAnswer(columns, rows, is_cut=True)
            rows.append(cells)
    return SqlAnswer(columns, rows, is_cut=True)


def _cell(value: Any) -> Cell:
    """A value of JSON: whole numbers beyond 64 bits, decimals, times, lists and the like are texts."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return value if -_INT64 <= value < _INT64 else str(value)
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else None
    return format(value, "f") if isinstance(value, Decimal) else str(value)
