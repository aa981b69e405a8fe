"""Check that all devices of the job that a run is of were recorded, as its files say it.

Ranks and programs say how many there are, and else the metadata of operations which devices communicate.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from tilescope.tiler.device_lines import SPARSE_CORE_LINES, is_one_of
from tilescope.tiler.facts import Device
from tilescope.tiler.facts.hlo.device_lists import listed_devices
from tilescope.tiler.facts.job_devices import job_devices
from tilescope.tiler.facts.operations.operation_table import OpTable, some_of
from tilescope.tiler.facts.work import Work, classifier
from tilescope.tiler.facts.work.kinds import work_of
from tilescope.tiler.query import Interruptible, Name, QueryReader

# Collectives of a program are over the same devices, as a rule.
_MOST_OPERATIONS: Final = 64


def are_all_recorded(
    reader: QueryReader, devices: Sequence[Device], operations: OpTable | None = None
) -> Interruptible[bool]:
    """True if these are all devices of their job, as far as is known. `operations` of some of them.

    Raises DamagedStore, NotBuilt.
    """
    expected = yield from job_devices(reader)
    if not expected and operations is not None:
        expected = _devices_of_operations(reader, operations)
    return expected <= sum(not _is_sparse_core(reader, device) for device in devices)


def _devices_of_operations(reader: QueryReader, table: OpTable) -> int:
    """The most devices in a list of the operations that communicate longest; 0 where none has one."""
    if not len(table.operations):
        return 0
    rules = classifier(reader.work_rules)
    codes = [rules.xla_operation(Name("", category)) for category in table.columns.categories]
    communicates = np.array([work_of(code) is Work.COMMUNICATION for code in codes], np.bool_)
    places = np.flatnonzero(communicates[table.columns.category] & (table.columns.own > 0))
    places = places[np.argsort(-table.columns.own[places], kind="stable")][:_MOST_OPERATIONS]
    rows = some_of(table.operations, places.tolist())
    return max((listed_devices(row.metadata.expression) for row in rows), default=0)


def _is_sparse_core(reader: QueryReader, device: Device) -> bool:
    """True of a part of a chip that programs do not count as a device."""
    return all(is_one_of(reader.tree.tracks[track.track].name, SPARSE_CORE_LINES) for track in device.tracks)
