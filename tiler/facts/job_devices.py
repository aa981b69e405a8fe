"""The number of devices of the job that a run is of, as its files say it, whether or not all of them were recorded.

PyTorch writes how many ranks there are, and XLA's programs say how many devices run them as one.
"""

from __future__ import annotations

from typing import Final

from tilescope.tiler.facts.hlo import HloDamage, device_count, programs_of
from tilescope.tiler.facts.pytorch_capture import pytorch_captures
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_caches import RunCache

_JOB_DEVICES: Final = RunCache[int]("job_devices", "Numbers of devices of jobs, as ranks and programs say them")


def job_devices(reader: QueryReader) -> Interruptible[int]:
    """The number of devices of the job; 0 where no file says it. Raises NotBuilt while it is indexed, DamagedStore."""
    devices = _JOB_DEVICES.get(reader)
    if devices is None:
        of_programs = yield from _devices_of_programs(reader)
        ranks = max((capture.ranks for capture in pytorch_captures(reader).values()), default=0)
        devices = _JOB_DEVICES.keep(reader, max(ranks, of_programs))
    return devices


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
