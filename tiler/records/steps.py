"""Records of steps: which slices of a track are steps of a run, and of which number. See docs/page-format.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import IntEnum

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import container
from tilescope.tiler.pages.columns import Col
from tilescope.tiler.records.record import Available, Record

Ints = NDArray[np.int64]

# Some 5 bytes a step after compression: a record has at most a third of a megabyte.
_CHUNK_STEPS = 65_536


STEPS = Record(
    "W",
    "track event",
    "track {track}: steps from event {event} on",
    Available.AT_ONCE,
    doc="which slices of a track are steps of the run, and of which number",
    proof="the slices with these ordinals",
)


class StepSource(IntEnum):
    """What makes a slice a step. Where a device or a host has several, the first of these counts."""

    STEPS_LINE = 1  # it is on a device's line `Steps`, and its name ends in the number
    STEPS_LINE_IN_ORDER = 2  # the same of names without numbers: they are counted from 0 on
    PROFILER_STEP = 3  # named `ProfilerStep#5`
    ITERATION = 4  # named `Iteration 5`
    ANNOTATION = 5  # it has an argument `step_num`
    NAMED = 6  # somebody who asks has named it; never stored


class TrackSteps(Struct, frozen=True):
    """Steps of one track, columns of shape (n,), ordinals ascending. Times in ticks."""

    ordinal: Ints  # of the slice
    start: Ints
    duration: Ints
    name: Ints  # name id of the slice, -1 none
    number: Ints  # never negative
    source: Ints  # StepSource
    is_open: Ints  # 1: the trace ends before the slice does

    def __len__(self) -> int:
        return len(self.ordinal)

    def take(self, which: Ints | NDArray[np.bool_] | slice) -> TrackSteps:
        """Some of them."""
        return TrackSteps(*(getattr(self, column)[which] for column in self.__struct_fields__))

    def chunks(self) -> Iterator[TrackSteps]:
        """The steps in pieces, each for a record of its own."""
        for first in range(0, len(self), _CHUNK_STEPS):
            yield self.take(slice(first, first + _CHUNK_STEPS))

    def encode(self, track: int) -> bytes:
        """A column container, not compressed."""
        columns: dict[int, Ints] = {column: getattr(self, name) for name, column in _COLUMNS.items()}
        return container.encode(container.STEPS_MAGIC, 0, len(self), track, columns)

    @classmethod
    def decode(cls, data: bytes, track: int) -> TrackSteps:
        """The steps in a record of this track. Raises DamagedStore."""
        record = container.decode(data)
        if record.magic != container.STEPS_MAGIC or record.block != track:
            raise DamagedStore(f"a record holds no steps of track {track}")
        columns = {name: record.ints(column) for name, column in _COLUMNS.items()}
        if not record.n_tiles or any(len(values) != record.n_tiles for values in columns.values()):
            raise DamagedStore(f"a record of steps of track {track} has columns of different lengths")
        return cls(**columns)


def join_steps(parts: Sequence[TrackSteps]) -> TrackSteps:
    """The steps of all parts, one part after the other; at least one part."""
    return TrackSteps(
        *(np.concatenate([getattr(part, column) for part in parts]) for column in TrackSteps.__struct_fields__)
    )


_COLUMNS = {
    "ordinal": Col.ORDINAL,
    "start": Col.START,
    "duration": Col.DURATION,
    "name": Col.NAME,
    "number": Col.STEP_NUMBER,
    "source": Col.STEP_SOURCE,
    "is_open": Col.STEP_OPEN,
}
