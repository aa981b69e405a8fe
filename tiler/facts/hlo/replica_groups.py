"""Groups of devices that communicate, each by itself, as the text of an instruction lists them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

# Of a longer text the begin is read.
_MOST_CHARACTERS: Final = 1 << 20
_MOST_IDS: Final = 1 << 17

_NUMBER: Final = re.compile(r"[0-9]{1,9}")
_LISTS: Final = re.compile(r"\breplica_groups=\{([0-9{}, ]*)")
_LIST: Final = re.compile(r"\{([0-9, ]*)\}")
# "[4,2]<=[2,4]T(1,0)": consecutive ids in a grid, its axes in another order, cut into groups.
_GRID: Final = re.compile(
    r"\breplica_groups=\[([0-9]{1,9}),([0-9]{1,9})\]<=\[([0-9,]{1,100})\](?:T\(([0-9,]{1,100})\))?"
)
# "mesh['x'=2,'y'=4] {'y'}": a group is what differs in some axes of a grid alone.
_MESH: Final = re.compile(r"\breplica_groups=mesh\[([^\]]{1,1000})\]\s*\{([^}]{0,1000})\}")
_AXIS: Final = re.compile(r"'([^']{1,100})'=([0-9]{1,9})")
_AXIS_NAME: Final = re.compile(r"'([^']{1,100})'")
_MOST_AXES: Final = 16
_CHANNEL: Final = re.compile(r"\bchannel_id=[0-9]")
_GLOBAL_IDS: Final = re.compile(r"\buse_global_device_ids=true\b")


@dataclass(frozen=True, slots=True)
class ReplicaGroups:
    """Groups by ids. These are of replicas, or of all devices: `are_global`; `over_partitions`: of all partitions."""

    group: Ints  # of each id, -1 for those in no list
    are_global: bool
    over_partitions: bool

    def group_of(self, replica: int, partition: int, partitions: int) -> int:
        """The group of the device that runs a replica of a partition; -1 for those in no list."""
        device = replica * partitions + partition if self.are_global else replica
        group = int(self.group[device]) if 0 <= device < len(self.group) else -1
        return group if group < 0 or self.are_global or self.over_partitions else group * partitions + partition


def replica_groups(expression: str) -> ReplicaGroups | None:
    """The groups in the text of an instruction; None: there is one alone, or none that makes sense."""
    text = expression[:_MOST_CHARACTERS]
    groups = _in_lists(text) or _in_grid(text) or _in_mesh(text)
    if groups is None or len(groups) < 2:
        return None
    ids = np.concatenate(groups)
    group = np.full(int(ids.max(initial=-1)) + 1, -1, np.int64)
    group[ids] = np.repeat(np.arange(len(groups)), [len(members) for members in groups])
    has_channel = bool(_CHANNEL.search(text))
    return ReplicaGroups(group, has_channel and bool(_GLOBAL_IDS.search(text)), has_channel)


def _in_lists(text: str) -> list[Ints] | None:
    match = _LISTS.search(text)
    lists = [] if match is None else [list(map(int, _NUMBER.findall(ids))) for ids in _LIST.findall(match[1])]
    if not lists or max(map(max, filter(None, lists)), default=0) >= _MOST_IDS:
        return None
    return [np.array(ids, np.int64) for ids in lists if ids]


def _in_grid(text: str) -> list[Ints] | None:
    match = _GRID.search(text)
    if match is None:
        return None
    sizes = _numbers(match[3])
    order = _numbers(match[4]) if match[4] else list(range(len(sizes)))
    count = int(match[1]) * int(match[2])
    if len(sizes) > _MOST_AXES or sorted(order) != list(range(len(sizes))) or not 0 < count <= _MOST_IDS:
        return None
    if math.prod(sizes) != count:
        return None
    return list(np.arange(count).reshape(sizes).transpose(order).reshape(int(match[1]), int(match[2])))


def _in_mesh(text: str) -> list[Ints] | None:
    match = _MESH.search(text)
    axes = [] if match is None else [(name, int(size)) for name, size in _AXIS.findall(match[1])]
    if match is None or not 0 < len(axes) <= _MOST_AXES or not 0 < math.prod(size for _, size in axes) <= _MOST_IDS:
        return None
    names = set(_AXIS_NAME.findall(match[2]))
    apart, together = (
        [axis for axis, (name, _) in enumerate(axes) if (name in names) is within] for within in (False, True)
    )
    grid = np.arange(math.prod(size for _, size in axes)).reshape([size for _, size in axes])
    return list(grid.transpose(apart + together).reshape(math.prod(axes[axis][1] for axis in apart), -1))


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",") if number]
