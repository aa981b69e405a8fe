"""Chips of the parts of a run, by which the rows of a heat map stand as the pod is built."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tilescope.tiler.facts.core_places import core_places
from tilescope.tiler.query import QueryReader
from tilescope.tiler.tools.heat_map.rows import RowPart


@dataclass(frozen=True, slots=True, order=True)
class ChipCell:
    """A core and its chip; cells are ordered as one reads, row by row. Without a grid all are in one row."""

    row: int
    column: int
    chip: int
    core: int
    has_grid: bool


def chip_cells(reader: QueryReader, parts: Sequence[RowPart]) -> Mapping[RowPart, ChipCell]:
    """The first cell of each part with cores of TPUs that the trace numbers. Raises DamagedStore."""
    places = core_places(reader)
    cells = {}
    for part in parts:
        own = [
            ChipCell(place.y or 0, place.x or 0, place.chip, place.core, place.y is not None)
            for lane in part.lanes
            if (place := places.get(reader.tree.tracks[lane.track].group)) is not None
        ]
        if own:
            cells[part] = min(own)
    return cells


def by_chip(parts: Sequence[RowPart], cells: Mapping[RowPart, ChipCell]) -> list[RowPart]:
    """Parts in the order of their cells; those without one follow as they stand."""
    return [
        *sorted((part for part in parts if part in cells), key=cells.__getitem__),
        *(p for p in parts if p not in cells),
    ]
