"""Lines of the framework above the operations of a TPU core whose trace has none: operations, or their name scopes.

Operations are read record by record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.device_lines import MODULE_LINES, STEP_LINES, is_one_of
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.facts.lanes.framework_paths import PathRows
from tilescope.tiler.facts.lanes.path_line import PathLine, PathOperations
from tilescope.tiler.facts.operations.track_records import OperationRecords, track_kinds
from tilescope.tiler.query import EVERYTHING, Interruptible, QueryReader, Reading, join, no_events
from tilescope.tiler.query.events import Events
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.records.device.operations import CHUNK_OPERATIONS
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]

# What operations of a core are parts of, each from its start on.
PARENT_LINES: Final = STEP_LINES | MODULE_LINES


@dataclass(frozen=True)
class FrameworkLine(PathLine):
    """A line above a track of operations; `path` is that of each of its kinds, `borders` those of its pieces, ticks."""

    reader: QueryReader
    track: int
    path: Ints
    rows: PathRows
    borders: Ints

    @property
    def key(self) -> int:
        """The track."""
        return self.track

    def read(self, start: int, stop: int) -> Interruptible[PathOperations]:
        """The operations that have a tick in [start, stop). Raises DamagedStore, NotBuilt."""
        events = yield from _events(self.reader, self.track, start, stop)
        path = yield from self._paths(events)
        track, stops = np.full(len(events), self.track), events.start + events.duration
        return PathOperations(track, events.ordinal, events.start, stops, events.row, path)

    def step_starts(self) -> Interruptible[Ints]:
        """Starts of the steps and runs of programs of the core."""
        return (yield from _step_starts(self.reader, self.track))

    def _paths(self, events: Events) -> Interruptible[Ints]:
        """The path of each event, -1 where it says none."""
        kinds = track_kinds(self.reader, self.track)
        records = events.ordinal // CHUNK_OPERATIONS
        if kinds is None or len(kinds.kinds) != len(self.path) or int(records.max(initial=0)) >= kinds.records:
            raise DamagedStore(f"track {self.track} has other events than operations")
        reading = OperationRecords(self.reader, self.track, kinds)
        path = np.full(len(events), -1)
        for number in np.unique(records).tolist():
            kind = reading.operations(number).kind
            here = np.flatnonzero(records == number)
            places = events.ordinal[here] - reading.first(number)
            if int(places.max()) >= len(kind):
                raise DamagedStore(f"track {self.track} has other events than operations")
            path[here] = self.path[kind[places]]
            yield
        return path


_STEPS: Final = KeyedRunCache[int, Ints](
    "framework_line_steps", "Starts of steps of TPU cores", lambda starts: starts.nbytes
)


def framework_line(reader: QueryReader, track: int, path: Ints, rows: PathRows) -> FrameworkLine:
    """A line above a track of operations; `path` of each of their kinds. Raises DamagedStore, NotBuilt."""
    kinds = track_kinds(reader, track)
    if kinds is None:
        return FrameworkLine(reader, track, path, rows, np.zeros(1, np.int64))
    end = max(int(kinds.stop.max()), int(kinds.last_start.max()) + 1)
    return FrameworkLine(reader, track, path, rows, np.append(np.unique(kinds.start), end))


def parent_tracks(reader: QueryReader, track: int) -> Sequence[int]:
    """Tracks of the steps of an operations' device, and of its runs of programs."""
    tracks = reader.tree.tracks
    group = tracks[track].group
    return [other.id for other in tracks if other.group == group and is_one_of(other.name, PARENT_LINES)]


def _events(reader: QueryReader, track: int, start: int, stop: int) -> Interruptible[Events]:
    """The events of a track that have a tick in [start, stop), in canonical order."""
    plan = reader.plan(track, Windows.single(start, stop))
    parts = [no_events(track)]
    for events in Reading(reader).events_and_outliers(plan, plan.leaf_runs):
        parts.append(events)
        yield
    events = join(parts)
    return events.take(np.argsort(events.ordinal, kind="stable"))


def _step_starts(reader: QueryReader, track: int) -> Interruptible[Ints]:
    """Starts of the steps and runs of programs of an operations' device."""
    kept = _STEPS.get(reader, track)
    if kept is None:
        starts = [np.zeros(0, np.int64)]
        for parent in parent_tracks(reader, track):
            plan = reader.plan(parent, EVERYTHING)
            for events in Reading(reader).events_and_outliers(plan, plan.leaf_runs):
                starts.append(events.start)
                yield
        kept = _STEPS.keep(reader, track, np.unique(np.concatenate(starts)))
    return kept
