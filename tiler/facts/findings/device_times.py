"""The times of several devices, read in turn: their tracks share pages, and no cache holds all those of a long run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tilescope.tiler.facts import Device
from tilescope.tiler.facts.findings.device_time import DeviceTime, HeldIdle, time_of_device
from tilescope.tiler.facts.findings.frames import Frames
from tilescope.tiler.query import QueryReader

# The pages of fewer events are kept: devices are read one after the other, which takes less memory.
_MANY_EVENTS: Final = 10_000_000

# Idle stretches of devices that are not done: 64 MB. With more of them one device is read to its end.
_MOST_STRETCHES: Final = 4 << 20


# Devices that are read in turn: each holds the pages of its pieces, some megabytes.
_MOST_IN_TURN: Final = 8


def times_of_devices(
    reader: QueryReader, devices: Sequence[Device], frames: Sequence[Frames]
) -> Iterator[DeviceTime | None]:
    """The time of each device in frames of its own, in their order; None where whoever asks may stop.

    Raises DamagedStore, NotBuilt.
    """
    held = [HeldIdle() for _ in devices]
    works = [time_of_device(reader, *each) for each in zip(devices, frames, held, strict=True)]
    times: dict[int, DeviceTime] = {}
    tracks = [track for device in devices for track in device.track_ids]
    are_many = sum(reader.tree.tracks[track].events for track in tracks) > _MANY_EVENTS
    first = 0
    while first < len(works):
        in_turn = are_many and sum(idle.stretches for idle in held) <= _MOST_STRETCHES
        for place in range(first, min(len(works), first + (_MOST_IN_TURN if in_turn else 1))):
            if place not in times:
                try:
                    next(works[place])
                except StopIteration as done:
                    times[place] = done.value
                yield None
        while first in times:
            yield times.pop(first)
            held[first].stretches = 0
            first += 1
