"""Places of tables: the rank, device and capture that a file is of, as far as its name and its folders say them.

Two files may be about the same work unless they say different places: files of the same capture often say less than
others of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tilescope.tiler.facts.tables import RunTable, run_tables
from tilescope.tiler.query import QueryReader


def may_be_same(table: RunTable, other: RunTable) -> bool:
    """True unless one of two tables says another host, rank, device or capture than the other."""
    left, right = table.entry, other.entry
    return (
        left.host == right.host
        and (left.rank == right.rank or None in (left.rank, right.rank))
        and (left.device == right.device or "" in (left.device, right.device))
        and (left.capture == right.capture or "" in (left.capture, right.capture))
    )


def uncovered(tables: Iterable[RunTable], by: Sequence[RunTable]) -> list[RunTable]:
    """The tables that are about other work than all of those in `by`."""
    return [table for table in tables if not any(may_be_same(table, other) for other in by)]


def tables_of_rank(reader: QueryReader, rank: int | None, *families: str) -> list[RunTable]:
    """The tables of some families, by rank: of one rank, or of all."""
    tables = sorted(run_tables(reader, *families), key=lambda table: (rank_of(table), table.entry.id))
    return [table for table in tables if rank in (None, table.entry.rank)]


def missing_rank(reader: QueryReader, rank: int | None, *families: str) -> str:
    """A sentence, that no table of these families is of a rank, and which ranks there are; empty: one is."""
    if rank is None or tables_of_rank(reader, rank, *families):
        return ""
    return f"no file is of rank {rank}: {_ranks_there(run_tables(reader, *families))}"


def rank_of(table: RunTable) -> int:
    """The rank of a table, -1 for none."""
    return -1 if table.entry.rank is None else table.entry.rank


def _ranks_there(tables: Sequence[RunTable]) -> str:
    ranks = sorted({rank for table in tables if (rank := table.entry.rank) is not None})
    return f"there are {', '.join(map(str, ranks[:20]))}" if ranks else "the files have none in their names"
