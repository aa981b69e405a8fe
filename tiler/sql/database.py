"""DuckDB databases that run a statement of a stranger: nothing but the tables of a run can be reached from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tilescope.tiler.errors import UsageError
from tilescope.tiler.sql.macros import macros
from tilescope.tiler.tables import TABLES, ColumnType

if TYPE_CHECKING:
    import duckdb

_TYPES: Final = {
    ColumnType.INTEGER: "bigint",
    ColumnType.REAL: "double",
    ColumnType.FLAG: "boolean",
    ColumnType.TEXT: "varchar",
}

# Set before a statement is bound or run. Without the second, a name in SQL that is no table is looked for among the
# variables of Python. The last has none of these changed again.
_LOCKS: Final = (
    "set enable_external_access = false",
    "set python_enable_replacements = false",
    "set lock_configuration = true",
)

# Left out where plans are made over tables without rows: with the first two a plan would read nothing, because there is
# nothing; the last reads a table twice, which costs less only of tables that are stored.
_LEFT_OUT: Final = ("statistics_propagation", "compressed_materialization", "late_materialization")


def load_duckdb() -> Any:
    """The module. Raises UsageError where it is not installed."""
    try:
        import duckdb
    except ImportError:
        raise UsageError("DuckDB is not installed: pip install 'tilescope[sql]'") from None
    return duckdb


def open_database(memory_bytes: int, threads: int) -> duckdb.DuckDBPyConnection:
    """An empty database in memory: nothing spills to disk, no extension is loaded."""
    config = {
        "memory_limit": f"{memory_bytes}B",
        "threads": threads,
        "max_temp_directory_size": "0B",
        "temp_directory": "",
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "allow_community_extensions": False,
        "allow_persistent_secrets": False,
    }
    database: duckdb.DuckDBPyConnection = load_duckdb().connect(":memory:", config=config)
    return database


def lock(database: duckdb.DuckDBPyConnection) -> None:
    """Has the database reach nothing outside, for good."""
    for setting in _LOCKS:
        database.execute(setting)


def prepare_plans(database: duckdb.DuckDBPyConnection, tick_ps: int) -> None:
    """Creates all tables without rows and what stands on them, and locks: plans of statements are made here."""
    for table in TABLES.values():
        columns = ", ".join(f"{quoted(column.name)} {_TYPES[column.type]}" for column in table.columns)
        database.execute(f"create table {table.name} ({columns})")
    _add_macros(database, tick_ps)
    names = {name for (name,) in database.execute("select name from duckdb_optimizers()").fetchall()}
    database.execute(f"set disabled_optimizers = '{','.join(name for name in _LEFT_OUT if name in names)}'")
    lock(database)


def add_views(database: duckdb.DuckDBPyConnection, tick_ps: int, read: dict[str, list[str]]) -> None:
    """Creates each table as what was read of it (`TABLE_read`): columns that were not are null, tables an error."""
    for table in TABLES.values():
        columns = read.get(table.name)
        cells = [
            quoted(column.name)
            if columns is not None and column.name in columns
            else f"null::{_TYPES[column.type]} as {quoted(column.name)}"
            for column in table.columns
        ]
        source = (
            f"from {table.name}_read" if columns is not None else f"where error('{table.name} is not read') is null"
        )
        database.execute(f"create view {table.name} as select {', '.join(cells)} {source}")
    _add_macros(database, tick_ps)


def _add_macros(database: duckdb.DuckDBPyConnection, tick_ps: int) -> None:
    """Creates the macros, and the views that stand on tables."""
    for macro in macros(tick_ps):
        database.execute(macro)


def quoted(name: str) -> str:
    """A name of SQL."""
    return '"' + name.replace('"', '""') + '"'
