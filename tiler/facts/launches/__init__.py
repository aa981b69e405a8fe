"""Launches of the work of devices, and the steps that this work belongs to."""

from tilescope.tiler.facts.launches.device_launches import DeviceLaunches, device_launches
from tilescope.tiler.facts.launches.step_work import StepWork, step_work

__all__ = ["DeviceLaunches", "StepWork", "device_launches", "step_work"]
