"""Groups of devices that communicate, each by itself, as the text of an instruction lists them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

# Of a longer text the begin is read.
_MOST_CHARACTERS: Final = 1 << 20
_MOST_IDS: Final = 1 << 17

_LIST: Final = re.compile(r"\{([0-9, ]*)\}")
_NUMBER: Final = re.compile(r"[0-9]+")
# Of the forms that XLA prints:
#   "{{0,1},{2,3}}"
#   "[4,2]<=[2,4]T(1,0)": consecutive ids in a grid, its axes in another order, cut into groups
#   "mesh['x'=2,'y'=4] {'y'}": a group is what differs in some axes of a grid alone
_GROUPS: Final = re.compile(
    r"""\breplica_groups=(?:
    (?P<lists>\{(?:[,\ ]*+\{[0-9,\ ]*+\})*+[,\ ]*+\})
    |\[(?P<groups>[0-9]{1,9}),(?P<members>[0-9]{1,9})\]<=\[(?P<sizes>[0-9,]{1,100})\](?:T\((?P<order>[0-9,]{1,100})\)|(?!T))
    |mesh\[(?P<mesh>[^\]]{1,1000})\]\s*+\{(?P<axes>[^}]{0,1000})\}
    |)""",
    re.VERBOSE,
)
_AXIS: Final = re.compile(r"\s*'([^']{1,100})'=([0-9]{1,9})\s*")
_AXIS_NAME: Final = re.compile(r"\s*'([^']{1,100})'\s*")
_MOST_AXES: Final = 16
_CHANNEL: Final = re.compile(r"\bchannel_id=[0-9]")
_GLOBAL_IDS: Final = re.compile(r"\buse_global_device_ids=true\b")


class UnreadGroups(ValueError):
    """An instruction has groups in a form that is not understood, or of too many devices."""


class GroupsText(NamedTuple):
    """Text of an instruction about its groups: equal ones have the same groups."""

    text: str  # "" where there is no list
    are_global: bool
    over_partitions: bool


@dataclass(frozen=True, slots=True)
class ReplicaGroups:
    """Groups by ids. These are of replicas, or of all devices: `are_global`; `over_partitions`: of all partitions."""

    group: NDArray[np.int32]  # of each id, -1 for those in no list
    are_global: bool
    over_partitions: bool

    def group_of(self, replica: int, partition: int, partitions: int) -> int:
        """The group of the device that runs a replica of a partition; -1 for those in no list."""
        device = replica * partitions + partition if self.are_global else replica
        group = int(self.group[device]) if 0 <= device < len(self.group) else -1
        return group if group < 0 or self.are_global or self.over_partitions else group * partitions + partition


def groups_text(expression: str) -> GroupsText:
    """The part of an instruction's text that says its groups."""
    text = expression[:_MOST_CHARACTERS]
    match, has_channel = _GROUPS.search(text), bool(_CHANNEL.search(text))
    return GroupsText("" if match is None else match[0], has_channel and bool(_GLOBAL_IDS.search(text)), has_channel)


def replica_groups(listed: GroupsText) -> ReplicaGroups | None:
    """The groups that an instruction lists; None: all devices are one. Raises UnreadGroups."""
    match = _GROUPS.fullmatch(listed.text)
    if match is None:
        return None
    if match["lists"] is not None:
        groups = _in_lists(match["lists"])
    elif match["sizes"] is not None:
        groups = _in_grid(match)
    elif match["mesh"] is not None:
        groups = _in_mesh(match["mesh"], match["axes"])
    else:
        raise UnreadGroups("groups in another form")
    if len(groups) < 2:
        return None
    ids = np.concatenate(groups)
    group = np.full(int(ids.max(initial=-1)) + 1, -1, np.int32)
    group[ids] = np.repeat(np.arange(len(groups)), [len(members) for members in groups])
    return ReplicaGroups(group, listed.are_global, listed.over_partitions)


def _in_lists(text: str) -> list[Ints]:
    lists = [[int(number[:9]) for number in _NUMBER.findall(ids)] for ids in _LIST.findall(text)]
    groups = [np.array(ids, np.int64) for ids in lists if ids]
    if any(int(ids.max()) >= _MOST_IDS for ids in groups):
        raise UnreadGroups(f"more than {_MOST_IDS:,} devices")
    return groups


def _in_grid(match: re.Match[str]) -> list[Ints]:
    sizes, shape = _numbers(match["sizes"]), (int(match["groups"]), int(match["members"]))
    order = _numbers(match["order"]) if match["order"] else list(range(len(sizes)))
    if len(sizes) > _MOST_AXES or sorted(order) != list(range(len(sizes))):
        raise UnreadGroups("axes in an order that there is not")
    if not 0 < math.prod(shape) <= _MOST_IDS or math.prod(sizes) != math.prod(shape):
        raise UnreadGroups("a grid of another size than its groups, or too large")
    return list(np.arange(math.prod(sizes)).reshape(sizes).transpose(order).reshape(shape))


def _in_mesh(mesh: str, axes: str) -> list[Ints]:
    matches = [_AXIS.fullmatch(part) for part in mesh.split(",")]
    sizes = {match[1]: int(match[2]) for match in matches if match is not None}
    names = [_AXIS_NAME.fullmatch(part) for part in axes.split(",")] if axes.strip() else []
    within = {match[1] for match in names if match is not None}
    # Parts of axes, such as 'x':(2)2, are not understood.
    if not len(matches) == len(sizes) <= _MOST_AXES or len(within) != len(names) or not within <= set(sizes):
        raise UnreadGroups("a mesh of other axes than named ones")
    if not 0 < math.prod(sizes.values()) <= _MOST_IDS:
        raise UnreadGroups("a mesh of no devices, or of too many")
    places = sorted(range(len(sizes)), key=lambda place: list(sizes)[place] in within)
    grid = np.arange(math.prod(sizes.values())).reshape(list(sizes.values())).transpose(places)
    return list(grid.reshape(-1, math.prod(sizes[name] for name in within)))


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",") if number]
