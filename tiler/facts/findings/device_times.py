"""The times of several devices. In a long run they are read in turn: no cache holds all pages, which they share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tilescope.tiler.facts import Device
from tilescope.tiler.facts.busy import UnsortedPiece
from tilescope.tiler.facts.division import Division
from tilescope.tiler.facts.findings.device_time import DeviceReading, DeviceTime
from tilescope.tiler.facts.findings.frames import Frames
from tilescope.tiler.query import QueryReader
from tilescope.tiler.store.two_threads import worked_aside

# The pages of fewer events are kept: devices are read one after the other, which takes less memory.
_MANY_EVENTS: Final = 10_000_000

# Idle stretches of devices that are not done: 64 MB. With more of them one device is read to its end.
_MOST_STRETCHES: Final = 4 << 20


# Devices that are read in turn: each holds the pages of its pieces, some megabytes.
_MOST_IN_TURN: Final = 8


# A piece of a device; None: there are no more.
_Item = tuple[DeviceReading, UnsortedPiece | None]


def times_of_devices(
    reader: QueryReader, devices: Sequence[Device], frames: Sequence[Frames]
) -> Iterator[DeviceTime | None]:
    """The time of each device in frames of its own, in their order; None where whoever asks may stop.

    While somebody works on the time of a device, a second thread goes on with the next. Raises DamagedStore, NotBuilt.
    """
    tracks = [track for device in devices for track in device.track_ids]
    are_many = sum(reader.tree.tracks[track].events for track in tracks) > _MANY_EVENTS
    readings = [DeviceReading(reader, *each, is_packed=are_many) for each in zip(devices, frames, strict=True)]
    left = list(readings)
    whole: set[DeviceReading] = set()
    for item in worked_aside(_pieces(readings, are_many=are_many), _divided):
        yield None
        if item is None:
            continue
        reading, division = item
        if division is not None:
            reading.add(division)
            continue
        whole.add(reading)
        while left and left[0] in whole:
            yield left.pop(0).take()


def _pieces(readings: Sequence[DeviceReading], *, are_many: bool) -> Iterator[_Item | None]:
    """The pieces of all devices, one device after the other, or some devices in turn."""
    pieces = [reading.pieces() for reading in readings]
    ended: set[int] = set()
    first = 0
    while first < len(readings):
        in_turn = are_many and sum(reading.idle_stretches for reading in readings) <= _MOST_STRETCHES
        for place in range(first, min(len(readings), first + (_MOST_IN_TURN if in_turn else 1))):
            if place in ended:
                continue
            try:
                piece = next(pieces[place])
            except StopIteration:
                ended.add(place)
                yield readings[place], None
            else:
                yield None if piece is None else (readings[place], piece)
        while first in ended:
            first += 1


def _divided(item: _Item) -> tuple[DeviceReading, Division | None]:
    reading, piece = item
    return reading, None if piece is None else reading.division(piece)
