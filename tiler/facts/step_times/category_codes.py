"""Which part of a step operations are, by the category that their metadata says."""

from __future__ import annotations

from typing import Final
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.details.xstat_tables import XStatTables
from tilescope.tiler.facts.step_times.parts import TPU_PARTS, StepPart, part_of_category
from tilescope.tiler.pages.operations import OperationKinds, TrackKinds
from tilescope.tiler.query import QueryReader

Codes = NDArray[np.uint8]

PART_CODES: Final = {part: code for code, part in enumerate(TPU_PARTS)}

_CATEGORY: Final = "hlo_category"
_UNKNOWN: Final = 255


class _FileCodes:
    """Of the metadata of a file, read where they are first asked for: that which is alike is read once."""

    def __init__(self, tables: XStatTables) -> None:
        self._tables = tables
        self._codes = np.full(len(tables) + 1, _UNKNOWN, np.uint8)
        self._codes[-1] = PART_CODES[part_of_category("")]  # of what has no metadata
        self._readers: dict[int, _native.ChosenStats] = {}

    def of(self, metadata: NDArray[np.int64]) -> Codes:
        """Of each of these metadata the place of its part in `TPU_PARTS`."""
        known = (metadata >= 0) & (metadata < len(self._tables))
        first = np.full(len(metadata), len(self._tables))
        first[known] = self._tables.alike[metadata[known]]
        for number in np.unique(first[self._codes[first] == _UNKNOWN]).tolist():
            self._codes[number] = PART_CODES[part_of_category(self._category(number))]
        found: Codes = self._codes[first]
        return found

    def _category(self, number: int) -> str:
        entry = self._tables.entry(number)
        names = self._tables.planes[entry.plane].stat_names
        if entry.plane not in self._readers:
            ids = [stat for stat, name in names.items() if name == _CATEGORY]
            self._readers[entry.plane] = _native.ChosenStats([ids])
        try:
            (value,) = self._readers[entry.plane].read(entry.stats)
        except ValueError:  # damaged stats: none of them is known
            return ""
        if isinstance(value, tuple):
            return names.get(value[0], "")
        return value if isinstance(value, str) else ""


_FILES: WeakKeyDictionary[XStatTables, _FileCodes] = WeakKeyDictionary()


def part_codes(reader: QueryReader, track: int, kinds: TrackKinds) -> Codes:
    """Of each kind of operations of a track the place of its part in `TPU_PARTS`. Raises DamagedStore."""
    tables = reader.store.event_metadata(reader.store.file_of(track))
    if tables is None:
        return np.full(len(kinds.kinds), PART_CODES[StepPart.LOW_FLOPS], np.uint8)
    if tables not in _FILES:
        _FILES[tables] = _FileCodes(tables)
    return _FILES[tables].of(OperationKinds.of(kinds.kinds).metadata)
