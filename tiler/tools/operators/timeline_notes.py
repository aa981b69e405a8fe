"""Notes on operators of tables that the timeline does not have: files of two trainings may lie in one folder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tilescope.tiler.count_text import plural
from tilescope.tiler.facts import devices_of
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.tools.answer import Note
from tilescope.tiler.tools.operators.operator_rows import OperatorRow

_MOST_NAMES: Final = 200_000  # of a run: each is looked at
_FEWEST: Final = 5  # operators, of which a part says something
_ABSENT: Final = 0.5  # a timeline that a limit cut off lacks some, too


def absent_notes(reader: QueryReader, rows: Sequence[OperatorRow]) -> Interruptible[list[Note]]:
    """A note where most of some operators are no events of a run that has devices; scopes of names do not count.

    Raises DamagedStore, NotBuilt.
    """
    wanted = {_own_name(row.name) for row in rows if row.name}
    if len(wanted) < _FEWEST or not reader.is_whole or reader.manifest.names.count > _MOST_NAMES:
        return []
    if not (yield from devices_of(reader)):
        return []
    numbers = yield from reader.names.numbers(lambda name: _own_name(name.text) in wanted)
    there = {_own_name(text) for text in reader.names.texts(numbers[1:].nonzero()[0])}
    absent = len(wanted - there)
    if absent <= _ABSENT * len(wanted):
        return []
    words = f"{absent:,} of the {plural(len(wanted), 'operator', 'operators')} that are listed have no event"
    return [Note("warning", f"{words} in the timeline: these tables may be of another training than it")]


def _own_name(text: str) -> str:
    return text.rpartition("/")[2]
