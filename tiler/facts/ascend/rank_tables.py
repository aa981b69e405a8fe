"""Tables of a run by the device that they are about: the rank, or else the device, of a host."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from tilescope.tiler.facts.tables import RunTable, run_tables
from tilescope.tiler.query import QueryReader

# A host without a name is called so where a file of it has tracks; of a file without tracks it is not called at all.
_NO_HOST: Final = "host"


class RankPlace(NamedTuple):
    """A rank on a host, or a device of it."""

    host: str
    number: int  # the rank; -1: the file does not say
    device: str

    @property
    def name(self) -> str:
        """The rank, or the device."""
        return str(self.number) if self.number >= 0 else self.device or "?"


def tables_by_rank(reader: QueryReader, families: Sequence[str]) -> dict[RankPlace, dict[str, RunTable]]:
    """Tables of some families by rank, then by family: the first of each that has rows.

    Raises StoredLast while the run is indexed, DamagedStore.
    """
    by_rank: dict[RankPlace, dict[str, RunTable]] = {}
    for table in run_tables(reader, *families):
        entry = table.entry
        host = "" if entry.host == _NO_HOST else entry.host
        place = RankPlace(host, -1 if entry.rank is None else entry.rank, entry.device)
        tables = by_rank.setdefault(place, {})
        if entry.family not in tables or not len(tables[entry.family]):
            tables[entry.family] = table
    return dict(sorted(by_rank.items()))
