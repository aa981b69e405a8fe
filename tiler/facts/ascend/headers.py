"""Columns of tables by their plain names, for headers differ between versions, and tables by rank."""

from __future__ import annotations

from collections.abc import Sequence

from tilescope.tiler.facts.tables import RunTable, run_tables
from tilescope.tiler.plain_headers import plain_name
from tilescope.tiler.query import QueryReader


def column_named(table: RunTable, *plain: str) -> str | None:
    """The header of the first column that has one of these plain names, the first name first."""
    by_name = {plain_name(name): name for name in reversed(table.columns)}
    return next((by_name[name] for name in plain if name in by_name), None)


def tables_of_rank(reader: QueryReader, rank: int | None, *families: str) -> list[RunTable]:
    """The tables of some families, by rank: of one rank, or of all."""
    tables = sorted(run_tables(reader, *families), key=lambda table: (rank_of(table), table.entry.id))
    return [table for table in tables if rank in (None, table.entry.rank)]


def missing_rank(reader: QueryReader, rank: int | None, *families: str) -> str:
    """Says that no table of these families is of a rank, and which ranks there are; empty: one is."""
    if rank is None or tables_of_rank(reader, rank, *families):
        return ""
    return f"no file is of rank {rank}: {_ranks_there(run_tables(reader, *families))}"


def rank_of(table: RunTable) -> int:
    """The rank of a table, -1 for none."""
    return -1 if table.entry.rank is None else table.entry.rank


def _ranks_there(tables: Sequence[RunTable]) -> str:
    ranks = sorted({rank for table in tables if (rank := table.entry.rank) is not None})
    return f"there are {', '.join(map(str, ranks[:20]))}" if ranks else "the files have none in their names"
