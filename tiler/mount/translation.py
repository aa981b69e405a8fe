"""Values of records of a shard, with the numbers that tracks and blocks have in the run."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.mount.bases import Bases
from tilescope.tiler.pages import compress, container, decompress
from tilescope.tiler.pages.columns import Col
from tilescope.tiler.records.device.operation_sums import OPERATION_SUMS
from tilescope.tiler.records.device.operations import OPERATIONS
from tilescope.tiler.records.device.step_sums import STEP_SUMS, StepSums
from tilescope.tiler.records.flow_bins import FLOW_TILES
from tilescope.tiler.records.flow_ends import FLOW_ENDS
from tilescope.tiler.records.histogram import BLOCK_HISTOGRAM, HISTOGRAM, TRACK_SUMS
from tilescope.tiler.records.launch_places import LAUNCH_PLACES
from tilescope.tiler.records.launches import LAUNCHES
from tilescope.tiler.records.page_names import PAGE_NAMES
from tilescope.tiler.records.record import Record
from tilescope.tiler.records.spread import BLOCK_SPREAD, SPREAD, TRACK_SUMS_SPREAD
from tilescope.tiler.records.steps import STEPS
from tilescope.tiler.records.tiles import SHAPE
from tilescope.tiler.records.written_flows import WRITTEN_FLOWS

# Containers whose head has the first number of their key.
_HEADED: Final = frozenset(
    {
        SHAPE, PAGE_NAMES, HISTOGRAM, BLOCK_HISTOGRAM, TRACK_SUMS, SPREAD, BLOCK_SPREAD, TRACK_SUMS_SPREAD, STEPS,
        OPERATIONS, OPERATION_SUMS, WRITTEN_FLOWS,
    }
)  # fmt: skip

# Containers of which some columns are tracks as well.
_TRACK_COLUMNS: Final[Mapping[Record, frozenset[int]]] = {
    FLOW_ENDS: frozenset({Col.FLOW_PARTNER_TRACK}),
    FLOW_TILES: frozenset({Col.FLOW_EDGE_PARTNER}),
    LAUNCHES: frozenset({Col.LAUNCHING_TRACK}),
    LAUNCH_PLACES: frozenset({Col.PLACE_TRACK, Col.PLACE_WORK}),
}

_NUMBER: Final = struct.Struct("<I")
_NUMBER_PLACE: Final = 12  # in the head of a container


def translated(record: Record, number: int, value: bytes, bases: Bases) -> bytes:
    """A value of a shard, as the run has it under a key that begins with `number`. Raises DamagedStore."""
    columns = _TRACK_COLUMNS.get(record)
    if columns is not None and bases.track:
        return compress(_with_tracks(decompress(value), number, columns, bases.track))
    if record is STEP_SUMS and bases.track:  # the container lies in a map
        return compress(StepSums.decode(decompress(value), number - bases.track).encode(number))
    if record in _HEADED and bases.of_number(record.numbers[0]):
        return compress(_with_number(decompress(value), number))
    return value


def _with_number(data: bytes, number: int) -> bytes:
    if len(data) < _NUMBER_PLACE + _NUMBER.size:
        raise DamagedStore("a record is cut short")
    return data[:_NUMBER_PLACE] + _NUMBER.pack(number) + data[_NUMBER_PLACE + _NUMBER.size :]


def _with_tracks(data: bytes, number: int, columns: frozenset[int], base: int) -> bytes:
    stored = container.decode(data)
    moved: dict[int, NDArray[np.int64]] = {}
    for column in stored.columns:
        values = stored.ints(column)
        moved[column] = values + base * (values >= 0) if column in columns else values
    return container.encode(stored.magic, stored.level, stored.n_tiles, number, moved)
