"""SQL over the tables of a run, by DuckDB in a process of its own."""

from tilescope.tiler.sql.answer import SqlAnswer, SqlColumn
from tilescope.tiler.sql.request import SqlLimits, ask_sql

__all__ = ["SqlAnswer", "SqlColumn", "SqlLimits", "ask_sql"]
