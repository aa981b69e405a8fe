"""Lists of devices that communicate, as HLO text has them: the metadata of operations says them without any proto."""

from __future__ import annotations

import math
import re
from typing import Final

# Of a longer list the begin is read.
_MOST_CHARACTERS: Final = 1 << 16

_NUMBER: Final = re.compile(r"[0-9]{1,9}")
_GRID: Final = re.compile(r"\breplica_groups=\[([0-9]{1,9}),([0-9]{1,9})\]<=")
_MESH: Final = re.compile(r"\breplica_groups=mesh\[([^\]]{0,1000})\]")
_SIZE: Final = re.compile(r"=([0-9]{1,9})(?=,|$)")
_LISTS: Final = re.compile(r"\b(?:replica_groups|source_target_pairs)=\{([0-9{}, ]*)")


def listed_devices(expression: str) -> int:
    """The number of devices in the list of an instruction; 0 where it has none. Ids are from 0."""
    expression = expression[:_MOST_CHARACTERS]
    if grid := _GRID.search(expression):
        return int(grid[1]) * int(grid[2])
    if mesh := _MESH.search(expression):
        return math.prod(map(int, _SIZE.findall(mesh[1]))) if "=" in mesh[1] else 0
    lists = _LISTS.search(expression)
    return max(map(int, _NUMBER.findall(lists[1])), default=-1) + 1 if lists else 0
