"""Parts of the time of each step of each core or host, exactly, in any windows."""

from tilescope.tiler.facts.step_times.alignment import AlignedSteps, aligned
from tilescope.tiler.facts.step_times.device_clock import device_durations
from tilescope.tiler.facts.step_times.parts import CLASS_OF, TPU_PARTS, StepClass, StepPart
from tilescope.tiler.facts.step_times.reduce_groups import group_numbers
from tilescope.tiler.facts.step_times.reduce_participants import Participants
from tilescope.tiler.facts.step_times.reduce_skew import ReduceEvents, reduce_events
from tilescope.tiler.facts.step_times.run_times import run_step_times
from tilescope.tiler.facts.step_times.times import StepTimes

__all__ = [
    "CLASS_OF",
    "TPU_PARTS",
    "AlignedSteps",
    "Participants",
    "ReduceEvents",
    "StepClass",
    "StepPart",
    "StepTimes",
    "aligned",
    "device_durations",
    "group_numbers",
    "reduce_events",
    "run_step_times",
]
