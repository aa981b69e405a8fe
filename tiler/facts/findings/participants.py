"""The number of devices of the job that a run is of, as its files say it, whether or not all of them were recorded.

PyTorch writes how many ranks there are. XLA's programs say how many devices run them as one, and the metadata of
operations which devices communicate.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

import numpy as np

from tilescope.tiler.device_lines import SPARSE_CORE_LINES, is_one_of
from tilescope.tiler.facts import Device
from tilescope.tiler.facts.hlo import HloDamage, device_count, programs_of
from tilescope.tiler.facts.hlo.device_lists import listed_devices
from tilescope.tiler.facts.operations.operation_table import OpTable, some_of
from tilescope.tiler.facts.work import Work, classifier
from tilescope.tiler.facts.work.kinds import work_of
from tilescope.tiler.query import Interruptible, Name, QueryReader
from tilescope.tiler.query.run_caches import RunCache
from tilescope.tiler.store.attachments import attachments_of, content

# The name under which the store keeps that member of trace-event files.
_INFO: Final = "json/distributedInfo"

# Bytes of that member: it has a few entries for each group of ranks. What is larger is not read.
_MOST_BYTES: Final = 4 << 20

# Collectives of a program are over the same devices, as a rule.
_MOST_OPERATIONS: Final = 64

_JOB_DEVICES: Final = RunCache[int]("job_devices", "Numbers of devices of jobs, as ranks and programs say them")


def are_all_recorded(
    reader: QueryReader, devices: Sequence[Device], operations: OpTable | None = None
) -> Interruptible[bool]:
    """True if these are all devices of their job, as far as is known. `operations` of some of them.

    Raises DamagedStore.
    """
    expected = _JOB_DEVICES.get(reader)
    if expected is None:
        expected = _JOB_DEVICES.keep(reader, max(_ranks(reader), (yield from _devices_of_programs(reader))))
    if not expected and operations is not None:
        expected = _devices_of_operations(reader, operations)
    return expected <= sum(not _is_sparse_core(reader, device) for device in devices)


def _ranks(reader: QueryReader) -> int:
    """The number of ranks of PyTorch; 0 where no file says it."""
    entries = [entry for entry in attachments_of(reader.store) if entry.name == _INFO]
    if not entries or entries[0].size_bytes > _MOST_BYTES:
        return 0
    try:
        info = json.loads(b"".join(content(reader.store, entries[0])))
    except (ValueError, RecursionError):
        return 0
    size = info.get("world_size") if isinstance(info, dict) else None
    return size if isinstance(size, int) else 0


def _devices_of_programs(reader: QueryReader) -> Interruptible[int]:
    """The most devices that run one program; 0 where none says it. Damaged ones do not."""
    most = 0
    programs = {(program.entry.size_bytes, program.entry.crc32): program for program in programs_of(reader)}
    for program in programs.values():  # hosts that run one program have the same bytes of it
        try:
            most = max(most, (yield from device_count(reader, program)))
        except HloDamage:
            continue
    return most


def _devices_of_operations(reader: QueryReader, table: OpTable) -> int:
    """The most devices in a list of the operations that communicate longest; 0 where none has one."""
    if not len(table.operations):
        return 0
    rules = classifier(reader.work_rules)
    codes = [rules.xla_operation(Name("", category)) for category in table.columns.categories]
    communicates = np.array([work_of(code) is Work.COMMUNICATION for code in codes], np.bool_)
    places = np.flatnonzero(communicates[table.columns.category] & (table.columns.own > 0)).tolist()
    places = sorted(places, key=lambda place: -int(table.columns.own[place]))[:_MOST_OPERATIONS]
    return max((listed_devices(row.metadata.expression) for row in some_of(table.operations, places)), default=0)


def _is_sparse_core(reader: QueryReader, device: Device) -> bool:
    """True of a part of a chip that programs do not count as a device."""
    return all(is_one_of(reader.tree.tracks[track.track].name, SPARSE_CORE_LINES) for track in device.tracks)
