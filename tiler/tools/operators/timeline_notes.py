"""Notes on operators of tables that the timeline does not have: files of two trainings may lie in one folder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from tilescope.tiler.count_text import plural
from tilescope.tiler.facts import devices_of
from tilescope.tiler.facts.ascend.headers import column_named
from tilescope.tiler.facts.ascend.operator_families import FAMILIES
from tilescope.tiler.facts.ascend.operator_tables import counted_tables
from tilescope.tiler.facts.tables import RunTable
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_caches import RunCache
from tilescope.tiler.tools.answer import Note

_FIRST_ROWS: Final = 200  # of each table: names of all rows take most of the time of an answer
_MOST_NAMES: Final = 200_000  # of a run: each is looked at
_FEWEST: Final = 5  # operators, of which a part says something
_ABSENT: Final = 0.5  # a timeline that a limit cut off lacks some, too

_NOTES: Final = RunCache[Sequence[Note]]("absent_operators", "Whether tables are of another training")


def absent_notes(reader: QueryReader) -> Interruptible[Sequence[Note]]:
    """A note where most first operators of tables are no events of a run that has devices; scopes do not count.

    It is the same whatever of the run is asked for. Raises DamagedStore, NotBuilt.
    """
    notes = _NOTES.get(reader)
    return _NOTES.keep(reader, (yield from _absent_notes(reader))) if notes is None else notes


def _absent_notes(reader: QueryReader) -> Interruptible[list[Note]]:
    if not reader.is_whole or reader.manifest.names.count > _MOST_NAMES or not (yield from devices_of(reader)):
        return []
    wanted: set[str] = set()
    for counted in (yield from counted_tables(reader, None, None)):
        if counted.is_listed:
            wanted |= yield from _first_names(counted.table)
    if len(wanted) < _FEWEST:
        return []
    numbers = yield from reader.names.numbers(lambda name: _own_name(name.text) in wanted)
    there = {_own_name(text) for text in reader.names.texts(numbers[1:].nonzero()[0])}
    absent = len(wanted - there)
    if absent <= _ABSENT * len(wanted):
        return []
    operators = plural(len(wanted), "operator", "operators")
    words = f"{absent:,} of {operators} in the first rows of tables have no event in the timeline"
    return [Note("warning", f"{words}: the tables may be of another training than it")]


def _first_names(table: RunTable) -> Interruptible[set[str]]:
    columns = FAMILIES[table.entry.family]
    header = column_named(table, *columns.name)
    if header is None or columns.name == columns.type:  # names of types: events have others
        return set()
    texts = yield from table.texts(header, np.arange(min(len(table), _FIRST_ROWS)))
    return {_own_name(text) for text in texts if text}


def _own_name(text: str) -> str:
    return text.rpartition("/")[2]
