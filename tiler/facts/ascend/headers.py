"""Columns of tables by their plain names, for headers differ between versions, and tables by rank."""

from __future__ import annotations

from collections.abc import Sequence

from tilescope.tiler.errors import UsageError
from tilescope.tiler.facts.tables import RunTable, run_tables
from tilescope.tiler.plain_headers import plain_name
from tilescope.tiler.query import QueryReader


def column_named(table: RunTable, *plain: str) -> str | None:
    """The header of the first column that has one of these plain names, the first name first."""
    by_name = {plain_name(name): name for name in reversed(table.columns)}
    return next((by_name[name] for name in plain if name in by_name), None)


def tables_of_rank(reader: QueryReader, rank: int | None, *families: str) -> list[RunTable]:
    """The tables of some families, by rank: of one rank, or of all. Raises UsageError for no such rank."""
    tables = sorted(run_tables(reader, *families), key=lambda table: (rank_of(table), table.entry.id))
    if rank is None or not tables:
        return tables
    of_rank = [table for table in tables if table.entry.rank == rank]
    if not of_rank:
        raise UsageError(f"rank: there is no rank {rank}: {_ranks_there(tables)}")
    return of_rank


def rank_of(table: RunTable) -> int:
    """The rank of a table, -1 for none."""
    return -1 if table.entry.rank is None else table.entry.rank


def _ranks_there(tables: Sequence[RunTable]) -> str:
    ranks = sorted({rank for table in tables if (rank := table.entry.rank) is not None})
    return f"there are {', '.join(map(str, ranks[:20]))}" if ranks else "the files have none in their names"
