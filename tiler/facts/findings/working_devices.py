"""The devices that work, of all that a run has: the others do nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from tilescope.tiler.facts import Device, Work
from tilescope.tiler.facts.findings.device_time import DeviceTime
from tilescope.tiler.query import Interruptible, QueryReader, Reading
from tilescope.tiler.store.file_warnings import cut_files
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.windows import Windows, everywhere

_WORKS: Final = (Work.COMPUTATION, Work.COMMUNICATION)


def working_devices(
    reader: QueryReader, devices: Sequence[Device], lanes: Sequence[DeviceTime]
) -> Interruptible[list[Device]]:
    """Devices that work in the steps of `lanes`, which do.

    In a range without a whole step a device may happen to be idle: there those are among them that work at another
    time. Raises DamagedStore, NotBuilt.
    """
    at_work = {lane.device.group for lane in lanes}
    working = []
    for device in devices:
        if device.group in at_work or (not lanes[0].frames.are_steps and (yield from _works(reader, device))):
            working.append(device)
    return working


def cut_devices(reader: QueryReader, devices: Sequence[Device]) -> frozenset[int]:
    """Groups of the devices whose files were cut short: what is missing may be their work. Raises DamagedStore."""
    cut = cut_files(reader.manifest)
    return frozenset(device.group for device in devices if reader.file_of(device.tracks[0].track) in cut)


def _works(reader: QueryReader, device: Device) -> Interruptible[bool]:
    """True if a device does anything but copies in the run."""
    run = everywhere(Windows.single(0, TICK_LIMIT))
    for work_track in (*device.tracks, *device.beside):
        for part in Reading(reader).histogram_parts([work_track.track], run):
            if part.has_other_names or bool(np.isin(work_track.kinds[part.name + 1], _WORKS).any()):
                return True
            yield
    return False
