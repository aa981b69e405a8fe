"""The TPU cores of a run: where their operations and their steps are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from tilescope.tiler.device_lines import DEVICE_PREFIX, STEP_LINES, is_one_of
from tilescope.tiler.facts.devices import plane_of
from tilescope.tiler.query import QueryReader

_TPU_CORE: Final = re.compile(rf"{DEVICE_PREFIX}TPU:[0-9]+$")
_OP_LINE: Final = frozenset({"XLA Ops"})


@dataclass(frozen=True, slots=True)
class TpuCore:
    """A plane of a TPU core: its lines of operations, and those of its steps."""

    group: int
    operations: tuple[int, ...]
    steps: tuple[int, ...]


def tpu_cores(reader: QueryReader) -> list[TpuCore]:
    """The TPU cores of a run that have operations, in the order of their processes."""
    lines: dict[int, tuple[list[int], list[int]]] = {}
    for track in reader.tree.leaves(None):
        told = reader.tree.tracks[track]
        name, group = str(told["name"]), int(told["group"])
        place = 0 if is_one_of(name, _OP_LINE) else 1 if is_one_of(name, STEP_LINES) else None
        if place is not None and _TPU_CORE.match(plane_of(reader.tree.groups[group])):
            lines.setdefault(group, ([], []))[place].append(track)
    return [TpuCore(group, tuple(of), tuple(steps)) for group, (of, steps) in sorted(lines.items()) if of]
