"""Places of TPU cores: the chip in the run, and its cell in a grid in which each host's chips are together.

Traces number chips, and do not record where these are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tilescope.tiler.details import wire
from tilescope.tiler.facts.devices import plane_of
from tilescope.tiler.facts.operations import TpuCore, tpu_cores
from tilescope.tiler.facts.plane_facts import plane_facts
from tilescope.tiler.query import QueryReader
from tilescope.tiler.query.run_caches import RunCache

# Of the message `CoreDetails` of XProf. What is 0 is not written.
_DETAILS: Final = "core_details"
_CORE_NUMBER: Final = 3
_GLOBAL_CHIP: Final = 5
_GLOBAL_CORE: Final = 6

_MOST_CHIPS: Final = 1 << 16

Cell = tuple[int, int]


@dataclass(frozen=True, slots=True)
class CorePlace:
    """`x` and `y` of its chip are None where the run's chips fill no grid."""

    chip: int  # unique among all hosts
    core: int  # on the chip
    number: int | None  # of the core among all hosts, as programs number them; None: the trace does not tell them apart
    x: int | None
    y: int | None


_PLACES: Final = RunCache[Mapping[int, CorePlace]]("core_places", "Places of TPU cores")


def core_places(reader: QueryReader) -> Mapping[int, CorePlace]:
    """Places of the cores of a run that say where they are, by process. Raises DamagedStore."""
    places = _PLACES.get(reader)
    return _PLACES.keep(reader, _read_places(reader)) if places is None else places


def _read_places(reader: QueryReader) -> Mapping[int, CorePlace]:
    details_by_plane = {(fact.file, fact.plane): fact.values.get(_DETAILS) for fact in plane_facts(reader)}
    cores, global_numbers = {}, {}
    for core in tpu_cores(reader):
        details = details_by_plane.get(_plane(reader, core))
        if isinstance(details, bytes):
            try:
                numbers = {field.number: field.value for field in wire.fields(details) if isinstance(field.value, int)}
            except wire.WireDamage:
                continue
            cores[core.group] = numbers.get(_GLOBAL_CHIP, 0), numbers.get(_CORE_NUMBER, 0)
            global_numbers[core.group] = numbers.get(_GLOBAL_CORE, 0)
    chips: dict[object, set[int]] = defaultdict(set)
    for group, (chip, _) in cores.items():
        chips[reader.tree.groups[group].parent].add(chip)
    unique = len(set(cores.values())) == len(cores)
    cells = grid_of(list(chips.values())) if unique else {}
    are_numbered = len(set(global_numbers.values())) == len(global_numbers)
    return {
        group: CorePlace(chip, core, global_numbers[group] if are_numbered else None, *cells.get(chip, (None, None)))
        for group, (chip, core) in cores.items()
    }


def _plane(reader: QueryReader, core: TpuCore) -> tuple[int, str]:
    return reader.file_of(core.operations[0]), plane_of(reader.tree.groups[core.group])


def grid_of(hosts: Sequence[Iterable[int]]) -> Mapping[int, Cell]:
    """A place (x, y) for each chip, row by row, of which each host has some; none where there is no such grid.

    In a grid the chips have consecutive numbers, and those of each host fill a rectangle. Of several such grids it is
    the one that is nearest to a square.
    """
    chips = [sorted(host) for host in hosts]
    every = sorted(chip for host_chips in chips for chip in host_chips)
    if not every or len(every) > _MOST_CHIPS or every != list(range(every[0], every[0] + len(every))):
        return {}
    count, first = len(every), every[0]
    widths = [width for width in range(1, count + 1) if count % width == 0]
    for width in sorted(widths, key=lambda width: (max(width, count // width), -width)):
        if all(_is_rectangle([chip - first for chip in host_chips], width) for host_chips in chips):
            return {chip: ((chip - first) % width, (chip - first) // width) for chip in every}
    return {}


def _is_rectangle(chips: Sequence[int], width: int) -> bool:
    """True if these fill a rectangle, of a grid that is so wide."""
    xs, ys = {chip % width for chip in chips}, {chip // width for chip in chips}
    span = (max(xs) - min(xs) + 1) * (max(ys) - min(ys) + 1)
    return span == len(chips)
