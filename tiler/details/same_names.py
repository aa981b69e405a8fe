"""Metadata of an XSpace that has the name of other metadata of its plane, and says something else."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler.details.xstat_tables import XStatTables

Ints = NDArray[np.int64]


class MetadataSlots(Struct, frozen=True):
    """Such metadata of a plane: number `first + k` has the place slots[k] among `numbers`, or -1."""

    first: int
    slots: NDArray[np.int32]
    numbers: Ints


class SameNames:
    """Such metadata of a file, plane by plane. Several threads may use it."""

    def __init__(self, tables: XStatTables) -> None:
        self._tables = tables
        self._by_plane: dict[int, MetadataSlots] = {}

    def slots(self, plane: int) -> MetadataSlots:
        """That of a plane."""
        slots = self._by_plane.get(plane)
        return slots if slots is not None else self._by_plane.setdefault(plane, self._slots(plane))

    def _slots(self, plane: int) -> MetadataSlots:
        numbers = self._tables.used_in(plane)
        name, entry = self._tables.name[numbers], self._tables.place[numbers]
        by_name = np.zeros(int(name.max(initial=-1)) + 1, np.int32)
        by_name[name] = entry
        has_others = np.zeros(len(by_name), np.bool_)
        has_others[name[by_name[name] != entry]] = True
        counted = numbers[has_others[name]]
        if not len(counted):
            return MetadataSlots(0, np.zeros(0, np.int32), counted)
        slots = np.full(int(counted[-1] - counted[0]) + 1, -1, np.int32)
        slots[counted - counted[0]] = np.arange(len(counted))
        return MetadataSlots(int(counted[0]), slots, counted)
