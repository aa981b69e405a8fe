"""Places of tables: the rank, device and capture that a file is of, as far as its name and its folders say them.

Two files may be about the same work unless they say different places: files of the same capture often say less than
others of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Final, NamedTuple

from tilescope.tiler.count_text import plural
from tilescope.tiler.facts.tables import RunTable, run_tables
from tilescope.tiler.query import QueryReader
from tilescope.tiler.records.tables import TableEntry

_NAMED: Final = 3


class RankPlace(NamedTuple):
    """A rank on a host, or a device of it; `qualifier`: its capture or host where the run has several of its number."""

    host: str
    number: int  # the rank; -1: the file does not say
    device: str
    qualifier: str = ""

    @property
    def name(self) -> str:
        """The rank, or the device."""
        name = str(self.number) if self.number >= 0 else self.device or "?"
        return f"{name} ({self.qualifier})" if self.qualifier else name


def places_of(reader: QueryReader, tables: Iterable[RunTable]) -> list[RankPlace]:
    """The place of each table. Raises StoredLast while the run is indexed, DamagedStore."""
    captures: dict[tuple[int, str], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for table in run_tables(reader):
        captures[rank_of(table), table.entry.device][table.entry.host].add(table.entry.capture)
    return [_place(table.entry, captures[rank_of(table), table.entry.device]) for table in tables]


def _place(entry: TableEntry, captures: Mapping[str, Set[str]]) -> RankPlace:
    """`captures` of its number by host."""
    qualifier = entry.host if len(captures) > 1 else ""
    if len(captures[entry.host] - {""}) > 1:
        qualifier = entry.capture
    return RankPlace(entry.host, -1 if entry.rank is None else entry.rank, entry.device, qualifier)


def tables_by_rank(reader: QueryReader, families: Sequence[str]) -> dict[RankPlace, dict[str, RunTable]]:
    """Tables of some families by rank, then by family: the first of each that has rows. Raises as above."""
    by_rank: dict[RankPlace, dict[str, RunTable]] = {}
    tables = run_tables(reader, *families)
    for table, place in zip(tables, places_of(reader, tables), strict=True):
        own = by_rank.setdefault(place, {})
        if table.entry.family not in own or not len(own[table.entry.family]):
            own[table.entry.family] = table
    return dict(sorted(by_rank.items()))


def firsts_of_places(reader: QueryReader, family: str) -> list[RunTable]:
    """Tables of a family: of each rank the first that has rows, as its files tell of the same. Raises as above."""
    return [tables[family] for tables in tables_by_rank(reader, (family,)).values()]


def left_out(reader: QueryReader, families: Sequence[str]) -> str:
    """A sentence with the files whose rows the above leaves out, for another of their rank comes first; empty: none."""
    first = {own.entry.id for tables in tables_by_rank(reader, families).values() for own in tables.values()}
    rest = [table for table in run_tables(reader, *families) if len(table) and table.entry.id not in first]
    files = {table.entry.file: table.entry.name.partition("/")[0] for table in rest}
    if not files:
        return ""
    names = ", ".join(list(files.values())[:_NAMED]) + (", …" if len(files) > _NAMED else "")
    verb = "is" if len(files) == 1 else "are"
    return f"{plural(len(files), 'file', 'files')} {verb} left out, as another of the same rank comes first: {names}"


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
