"""What the time of each step of each core or host is made of, exactly, in any windows."""

from tilescope.tiler.facts.step_times.alignment import AlignedSteps, aligned
from tilescope.tiler.facts.step_times.parts import CLASS_OF, TPU_PARTS, StepClass, StepPart
from tilescope.tiler.facts.step_times.times import StepTimes
from tilescope.tiler.facts.step_times.tpu_steps import tpu_step_times

__all__ = ["CLASS_OF", "TPU_PARTS", "AlignedSteps", "StepClass", "StepPart", "StepTimes", "aligned", "tpu_step_times"]
