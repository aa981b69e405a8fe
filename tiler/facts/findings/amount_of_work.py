"""Comparison of how much work two devices were given: more kernels, or the same kernels over larger grids."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from tilescope.tiler.device_lines import is_ascend_device
from tilescope.tiler.facts import Work
from tilescope.tiler.facts.findings.device_time import DeviceTime
from tilescope.tiler.facts.name_sums import name_sums
from tilescope.tiler.query import Interruptible, QueryReader, Reading
from tilescope.tiler.query.arguments import ArgumentReader
from tilescope.tiler.windows import Windows

# The longest kernels of a step, whose grids are compared.
_KERNELS: Final = 24

# Noise of counts and grids is none: whatever differs by more is another amount of work.
_DIFFERENCE: Final = 0.02

_DETAILS_GRID: Final = re.compile(r"\bgrid:([0-9,]{1,32})")


@dataclass(frozen=True, slots=True)
class _StepWork:
    """Computation of one step of a device. `longest`: track and ordinal of its longest kernels, by their starts."""

    count: int
    names: tuple[int, ...]
    longest: tuple[tuple[int, int], ...]


def has_more_work(reader: QueryReader, late: DeviceTime, other: DeviceTime) -> Interruptible[bool]:
    """True if the trace shows that a device was given more to do in a step than another one.

    Raises DamagedStore.
    """
    if all(is_ascend_device(reader.tree.groups[lane.device.group].name) for lane in (late, other)):
        more_count = yield from _count(reader, late)  # tasks say no grids
        return more_count > (yield from _count(reader, other)) * (1 + _DIFFERENCE)
    works = []
    for lane in (late, other):
        works.append((yield from _step_work(reader, lane)))
    more, less = works
    if more.count > less.count * (1 + _DIFFERENCE):
        return True
    if more.names != less.names:
        return False
    arguments = ArgumentReader(reader.store)
    blocks = []
    for kernels in zip(more.longest, less.longest, strict=True):
        blocks.append([_blocks(values) for track, ordinal in kernels for values in arguments.decoded(track, [ordinal])])
        if not all(blocks[-1]):  # where one grid is unknown, nobody knows the sums
            return False
    return sum(mine for mine, _ in blocks) > sum(others for _, others in blocks) * (1 + _DIFFERENCE)


def _middle(lane: DeviceTime) -> Windows:
    """The step in the middle of those that are looked at."""
    middle = len(lane.frames) // 2
    return Windows.single(int(lane.frames.begin[middle]), int(lane.frames.end[middle]))


def _count(reader: QueryReader, lane: DeviceTime) -> Interruptible[int]:
    """Number of computations that start in that step."""
    count = 0
    for work_track in lane.device.tracks:
        for part in (yield from name_sums(reader, work_track.track, _middle(lane))):
            count += int(part.count[work_track.kinds[part.name + 1] == Work.COMPUTATION].sum())
    return count


def _step_work(reader: QueryReader, lane: DeviceTime) -> Interruptible[_StepWork]:
    """The work of that step."""
    windows = _middle(lane)
    rows: list[tuple[int, int, int, int, int]] = []  # duration, start, name, track, ordinal
    count = 0
    for work_track in lane.device.tracks:
        plan = reader.plan(work_track.track, windows)
        for events in Reading(reader).events(plan, plan.leaf_runs):
            which = np.flatnonzero(
                (work_track.kinds[events.name + 1] == Work.COMPUTATION) & (events.start >= windows.start)
            )
            count += len(which)
            longest = which[np.argsort(-events.duration[which], kind="stable")[:_KERNELS]]
            columns = events.duration, events.start, events.name, events.ordinal
            for duration, start, name, ordinal in np.stack([column[longest] for column in columns], axis=1).tolist():
                rows.append((duration, start, name, work_track.track, ordinal))
            rows = sorted(rows, reverse=True)[:_KERNELS]
            yield
    rows.sort(key=lambda row: row[1])
    return _StepWork(count, tuple(row[2] for row in rows), tuple(row[3:] for row in rows))


def _blocks(arguments: Sequence[tuple[str, object]]) -> int:
    """Blocks of a kernel's grid; 0 where the trace does not say it."""
    for name, value in arguments:
        if name == "grid" and isinstance(value, list):
            return _product(value)
        if name == "kernel_details" and isinstance(value, str) and (match := _DETAILS_GRID.search(value)):
            return _product([int(part) for part in match[1].split(",") if part])
    return 0


def _product(sizes: Sequence[object]) -> int:
    return math.prod(size for size in sizes if isinstance(size, int)) if sizes else 0
