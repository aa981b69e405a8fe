"""Lanes of a heat map: each is busy or idle by itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.devices import Device, WorkTrack
from tilescope.tiler.facts.work import Work


@dataclass(frozen=True, slots=True)
class BusyLane:
    """A track, or a device with the tracks on which it works."""

    track: int  # the first one
    work: tuple[WorkTrack, ...] = ()  # of a device


def without_communication(devices: Iterable[Device]) -> list[Device]:
    """The same devices, for which communication is no work: in it they wait for each other."""
    others: dict[int, NDArray[np.uint8]] = {}  # tracks have tables of kinds in common

    def kinds_of(track: WorkTrack) -> NDArray[np.uint8]:
        kinds = others.get(id(track.kinds))
        if kinds is None:
            kinds = np.where(track.kinds == Work.COMMUNICATION, np.uint8(Work.NONE), track.kinds)
            others[id(track.kinds)] = kinds
        return kinds

    return [
        replace(device, tracks=tuple(replace(track, kinds=kinds_of(track)) for track in device.tracks))
        for device in devices
    ]
