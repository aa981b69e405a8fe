"""The kernels that GPUs ran: how each was launched, how often, and how long it took, in any windows."""

from tilescope.tiler.facts.kernels.kernel_table import KernelTable, has_kernels, kernel_table
from tilescope.tiler.facts.kernels.launch import KernelLaunch
from tilescope.tiler.facts.kernels.sums import Kernel

__all__ = ["Kernel", "KernelLaunch", "KernelTable", "has_kernels", "kernel_table"]
