"""Synthetic training runs of a TPU pod as XSpaces, with the truth about them."""

from bench.pod_run.shape import PodShape
from bench.pod_run.write import Pod, write_pod

__all__ = ["Pod", "PodShape", "write_pod"]
