"""Synthetic trainings on Ascend as their profilers write them, in all forms, with the truth about them."""

from bench.ascend_run.base_folder import write_base_folder
from bench.ascend_run.first_generation import write_profiler
from bench.ascend_run.hostile import write_hostile
from bench.ascend_run.second_generation import write_ascend
from bench.ascend_run.shape import AscendShape
from bench.ascend_run.training import Training
from bench.ascend_run.truth import truth

__all__ = [
    "AscendShape",
    "Training",
    "truth",
    "write_ascend",
    "write_base_folder",
    "write_hostile",
    "write_profiler",
]
