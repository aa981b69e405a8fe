"""Synthetic trainings with PyTorch on GPUs, as Kineto writes them, with the truth about them."""

from bench.kineto_run.hostile import VARIANTS, write_hostile
from bench.kineto_run.job import write_job
from bench.kineto_run.shape import KinetoShape

__all__ = ["VARIANTS", "KinetoShape", "write_hostile", "write_job"]
