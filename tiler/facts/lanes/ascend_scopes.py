"""Name scopes of the operators of MindSpore on an Ascend device, as lines above its streams.

`Default/network/lenet5/Conv2D-op11` lies in `Default`, `network` and `lenet5`. Such a path is the name of a task, or in
the first timelines as JSON its argument `fullname`. Operators of all streams count together.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.details.values import ValueKind
from tilescope.tiler.device_lines import ASCEND_DEVICE
from tilescope.tiler.facts.devices import Device, WorkTrack
from tilescope.tiler.facts.lanes.framework_paths import PathRows, scope_rows
from tilescope.tiler.facts.lanes.path_line import PathLine, PathOperations
from tilescope.tiler.facts.work import Work, works_of
from tilescope.tiler.query import Interruptible, QueryReader, Reading
from tilescope.tiler.query.arguments import ArgumentReader
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]

_PATH: Final = re.compile(r"(?:[^/]+/)+[^/]*-op[0-9][^/]*")
_LONGEST_PATH: Final = 4096  # characters
_FULL_NAME: Final = "fullname"
_AT_ONCE: Final = 1 << 14  # events whose arguments are read between two yields


@dataclass(frozen=True, slots=True)
class AscendScopes:
    """Paths of the tasks of a device: `of_name` by name id + 1; `of_event` by ordinal, of tracks whose events say it.

    Both are numbers of `rows`, -1 where there is no path: what an event says goes before its name. `deeper`: paths with
    more scopes than there may be rows.
    """

    rows: PathRows
    deeper: int
    of_name: Ints
    of_event: Mapping[int, Ints]


def is_path(text: str) -> bool:
    """True for the path of an operator, of at most 4,096 characters."""
    return len(text) <= _LONGEST_PATH and _PATH.fullmatch(text) is not None


def ascend_scopes(reader: QueryReader, device: Device) -> Interruptible[AscendScopes]:
    """The scopes of a device, no rows where its tasks have none. Raises DamagedStore, NotBuilt."""
    scopes = _SCOPES.get(reader, device.group)
    return _SCOPES.keep(reader, device.group, (yield from _read(reader, device))) if scopes is None else scopes


@dataclass(frozen=True)
class AscendLine(PathLine):
    """The scopes of a device above all of its streams: `rows` are the outermost of `scopes`."""

    reader: QueryReader
    device: Device
    scopes: AscendScopes
    rows: PathRows
    borders: Ints

    @property
    def key(self) -> tuple[str, int]:
        """The device."""
        return "ascend", self.device.group

    def read(self, start: int, stop: int) -> Interruptible[PathOperations]:
        """The tasks that compute in [start, stop). Raises DamagedStore, NotBuilt."""
        parts = [np.zeros((6, 0), np.int64)]
        first_row = 0
        for work_track in self.device.tracks:
            rows, computes = 0, _computes(work_track)
            plan = self.reader.plan(work_track.track, Windows.single(start, stop))
            for events in Reading(self.reader).events_and_outliers(plan, plan.leaf_runs):
                events = events.take(computes[events.name + 1])
                of_event = self.scopes.of_event.get(work_track.track)
                path = self.scopes.of_name[events.name + 1]
                if of_event is not None:
                    path = np.where(of_event[events.ordinal] >= 0, of_event[events.ordinal], path)
                track, ends = np.full(len(events), work_track.track), events.start + events.duration
                parts.append(np.stack([track, events.ordinal, events.start, ends, events.row + first_row, path]))
                rows = max(rows, int(events.row.max(initial=-1)) + 1)
                yield
            first_row += rows
        operations = PathOperations(*np.concatenate(parts, axis=1))
        return operations.take(np.lexsort((operations.ordinal, operations.track, -operations.stop, operations.start)))

    def step_starts(self) -> Interruptible[Ints]:
        """Starts of the steps of the device."""
        yield from ()
        series = self.reader.steps.of_track(self.device.tracks[0].track)
        return np.zeros(0, np.int64) if series is None else np.unique(series.rows.start)


_SCOPES: Final = KeyedRunCache[int, AscendScopes](
    "ascend_scopes",
    "Name scopes of the tasks of Ascend devices",
    lambda scopes: sum(numbers.nbytes for numbers in (scopes.of_name, *scopes.of_event.values())),
)


def _computes(work_track: WorkTrack) -> NDArray[np.bool_]:
    """True for the names, that without one first, of tasks that compute."""
    is_computation: NDArray[np.bool_] = works_of(work_track.kinds) == Work.COMPUTATION
    return is_computation


def _read(reader: QueryReader, device: Device) -> Interruptible[AscendScopes]:
    paths: dict[str, int] = {}
    of_event: dict[int, Ints] = {}
    of_name = np.full(reader.manifest.names.count + 1, -1)
    numbers = yield from reader.names.numbers(lambda name: is_path(name.text))
    computes = np.logical_or.reduce([_computes(work_track) for work_track in device.tracks])
    named = np.flatnonzero(numbers.astype(np.bool_) & computes)
    for place, text in zip(named.tolist(), reader.names.texts(named - 1), strict=True):
        of_name[place] = paths.setdefault(text, len(paths))
    if reader.tree.groups[device.group].name != ASCEND_DEVICE:
        for work_track in device.tracks:
            of_event[work_track.track] = yield from _full_names(reader, work_track.track, paths)
    rows, deeper = yield from scope_rows(list(paths))
    return AscendScopes(rows, deeper, of_name, of_event)


def _full_names(reader: QueryReader, track: int, paths: dict[str, int]) -> Interruptible[Ints]:
    """The path that each event of a track says, by ordinal; `paths` gets those that are new."""
    arguments = ArgumentReader(reader.store)
    numbers = np.full(int(reader.tree.tracks[track].events or 0), -1)
    for first in range(0, len(numbers), _AT_ONCE):
        ordinals = np.arange(first, min(first + _AT_ONCE, len(numbers)))
        for part in arguments.values(track, ordinals, [_FULL_NAME]):
            (values,) = part.values
            for row in values.where(ValueKind.TEXT).tolist():
                path = str(values.value(row))
                if is_path(path):
                    numbers[first + part.which.start + row] = paths.setdefault(path, len(paths))
        yield
    return numbers
