"""The devices that take part in the all-reduces of TPU cores, whether or not all of them were recorded.

A core waits in an all-reduce for the one that comes last: of one that was not recorded nobody can tell how long.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.details.instruction_stats import LONG_NAME
from tilescope.tiler.errors import NotBuilt
from tilescope.tiler.facts.hlo.device_lists import listed_devices
from tilescope.tiler.facts.job_devices import job_devices
from tilescope.tiler.facts.metadata_codes import metadata_codes
from tilescope.tiler.facts.operations import TpuCore
from tilescope.tiler.facts.operations.track_records import track_kinds
from tilescope.tiler.facts.step_times.category_codes import PART_CODES, part_codes
from tilescope.tiler.facts.step_times.parts import StepPart
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.records.device.operations import OperationKinds, TrackKinds

Ints = NDArray[np.int64]

# All-reduces of a program are over the same devices, as a rule.
_MOST_KINDS: Final = 64

# More than any job has.
_NOT_STORED: Final = 1 << 62


@dataclass(frozen=True, slots=True)
class Participants:
    """Numbers of devices that take part in all-reduces and have each step: `recorded` (n,), of `expected`.

    `is_grouped` (n,): False in steps with an all-reduce of which is not understood who reduces together.
    """

    recorded: Ints
    expected: int
    is_grouped: NDArray[np.bool_]

    @property
    def is_stored(self) -> bool:
        """False while the run is indexed: what says how many take part is stored last."""
        return self.expected < _NOT_STORED

    @property
    def are_all(self) -> NDArray[np.bool_]:
        """Mask of the steps in which waiting can be told from computing."""
        return (self.recorded >= self.expected) & self.is_grouped

    def take(self, rows: Ints) -> Participants:
        """Participants in some steps."""
        return Participants(self.recorded[rows], self.expected, self.is_grouped[rows])


def expected_participants(reader: QueryReader, cores: Sequence[TpuCore]) -> Interruptible[int]:
    """Their number; 0 where neither programs nor the metadata of all-reduces say it. Raises DamagedStore.

    While the run is indexed it is more than there are: nothing is told then that more devices could change.
    """
    try:
        return (yield from _expected(reader, cores))
    except NotBuilt:
        return _NOT_STORED


def _expected(reader: QueryReader, cores: Sequence[TpuCore]) -> Interruptible[int]:
    """The number of participants. Raises DamagedStore, NotBuilt."""
    expected = yield from job_devices(reader)
    if expected:
        return expected
    for core in cores:
        for track in core.operations:
            kinds = track_kinds(reader, track)
            if kinds is not None:
                expected = max(expected, (yield from _listed(reader, track, kinds)))
    return expected


def _listed(reader: QueryReader, track: int, kinds: TrackKinds) -> Interruptible[int]:
    """The most devices in a list of the all-reduces of a track; 0 where none has one."""
    file = reader.file_of(track)
    tables = reader.event_metadata(file)
    if tables is None:
        return 0
    codes = yield from part_codes(reader, track, kinds)
    metadata = OperationKinds.of(kinds.kinds).metadata
    is_reduce = (codes == PART_CODES[StepPart.ALL_REDUCE_COMPUTE]) & (metadata >= 0) & (metadata < len(tables))
    numbers = np.unique(tables.alike[metadata[is_reduce]])[:_MOST_KINDS]
    if not len(numbers):
        return 0
    rows = metadata_codes(reader)
    yield from rows.rows_of(file, tables, numbers)
    texts = rows.values.of(rows.matrix[rows.of(file, numbers), LONG_NAME])
    return max((listed_devices(text) for text in texts if isinstance(text, str)), default=0)
