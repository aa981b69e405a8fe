"""Stats of metadata that describe operations, and the rows of numbers that they are kept in."""

from __future__ import annotations

from typing import Final
from weakref import WeakKeyDictionary

from tilescope.tiler import _native
from tilescope.tiler.details.xstat_tables import XStatTables

CATEGORY: Final = "hlo_category"

# Stats that are read.
STATS: Final = (
    "program_id",
    CATEGORY,
    "tf_op",
    "source",
    "source_stack",
    "shape_with_layout",
    "deduplicated_name",
    "symbol_id",
    "flops",
    "model_flops",
    "bytes_accessed",
    "memory_access_breakdown",
)
# Before these, in a row: the name of the events, by its id in the run or -2 and less, and the long name.
NAME: Final = 0
LONG_NAME: Final = 1
STAT: Final = {name: position + 2 for position, name in enumerate(STATS)}
WIDTH: Final = len(STATS) + 2

# Words that are looked for in all long names: rows that are stored say which have them, by bits in this order.
BARRIER: Final = "barrier-cores"
DEBUG_PRINT: Final = "debug_print"
WORDS: Final = (BARRIER, DEBUG_PRINT)

_Choice = tuple[tuple[tuple[int, ...], ...], frozenset[tuple[int, str]]]  # ids of stats, and what all are called


class StatChoices:
    """Choices of the stats that are read of each plane. Planes that call their stats the same share one."""

    def __init__(self) -> None:
        self._choices: dict[_Choice, _native.ChosenStats] = {}
        self._of_planes: WeakKeyDictionary[XStatTables, dict[tuple[int, tuple[str, ...]], _native.ChosenStats]]
        self._of_planes = WeakKeyDictionary()

    def choice_of(self, tables: XStatTables, plane: int, wanted: tuple[str, ...] = STATS) -> _native.ChosenStats:
        """That of a plane."""
        choices = self._of_planes.setdefault(tables, {})
        key = plane, wanted
        if key not in choices:
            stat_ids, names = tables.stat_ids(plane), tables.planes[plane].stat_names
            ids = tuple(tuple(stat_ids.get(name, ())) for name in wanted)
            # Planes that call their stats the same share what is read of them.
            choices[key] = self._choices.setdefault(
                (ids, frozenset(names.items())), _native.ChosenStats(ids, dict(names))
            )
        return choices[key]


def planes_saying(tables: XStatTables) -> list[int]:
    """The planes that have such stats, as far as their names tell."""
    return [plane for plane in range(len(tables.planes)) if not tables.stat_ids(plane).keys().isdisjoint(STATS)]
