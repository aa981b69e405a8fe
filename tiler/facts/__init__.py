"""Meaning of the events of a run, by its format: the tracks of a device, and the work on them."""

from tilescope.tiler.facts.busy import NOTHING, Busy, Piece, WorkSpans
from tilescope.tiler.facts.devices import NO_DEVICE_TRACKS, NO_DEVICES, Device, WorkTrack, devices_of, no_devices
from tilescope.tiler.facts.work import Work

__all__ = [
    "NOTHING",
    "NO_DEVICES",
    "NO_DEVICE_TRACKS",
    "Busy",
    "Device",
    "Piece",
    "Work",
    "WorkSpans",
    "WorkTrack",
    "devices_of",
    "no_devices",
]
