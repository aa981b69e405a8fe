"""Launches of the work of devices, and the steps that this work belongs to."""

from tilescope.tiler.facts.launches.device_launches import (
    DeviceLaunches,
    device_launches,
    has_launches,
    launches_of_slices,
)
from tilescope.tiler.facts.launches.launch_times import LaunchTimes, launch_times
from tilescope.tiler.facts.launches.launched_steps import NO_LAUNCHED_STEPS, LaunchedSteps, launched_steps
from tilescope.tiler.facts.launches.step_work import StepWork, WorkSteps, step_work

__all__ = [
    "NO_LAUNCHED_STEPS",
    "DeviceLaunches",
    "LaunchTimes",
    "LaunchedSteps",
    "StepWork",
    "WorkSteps",
    "device_launches",
    "has_launches",
    "launch_times",
    "launched_steps",
    "launches_of_slices",
    "step_work",
]
