"""The number of devices of the job that a run is of, as its files say it, whether or not all of them were recorded.

PyTorch writes how many ranks there are, and XLA's programs say how many devices run them as one.
"""

from __future__ import annotations

import json
from typing import Final

from tilescope.tiler.facts.hlo import HloDamage, device_count, programs_of
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_caches import RunCache
from tilescope.tiler.store.attachments import attachments_of, content

# The name under which the store keeps that member of trace-event files.
_INFO: Final = "json/distributedInfo"

# Bytes of that member: it has a few entries for each group of ranks. What is larger is not read.
_MOST_BYTES: Final = 4 << 20

_JOB_DEVICES: Final = RunCache[int]("job_devices", "Numbers of devices of jobs, as ranks and programs say them")


def job_devices(reader: QueryReader) -> Interruptible[int]:
    """The number of devices of the job; 0 where no file says it. Raises NotBuilt while it is indexed, DamagedStore."""
    devices = _JOB_DEVICES.get(reader)
    if devices is None:
        devices = _JOB_DEVICES.keep(reader, max(_ranks(reader), (yield from _devices_of_programs(reader))))
    return devices


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
