"""What the operations of devices are, and how much time they take in any windows."""

from tilescope.tiler.facts.operations.gpu_operations import GpuDevice, gpu_devices, gpu_op_table
from tilescope.tiler.facts.operations.instructions import KERNEL, FusedPart, Instructions
from tilescope.tiler.facts.operations.kind_sums import KindSums, kind_sums
from tilescope.tiler.facts.operations.op_table import OpTable, op_table
from tilescope.tiler.facts.operations.operation import Operation
from tilescope.tiler.facts.operations.tpu_core import TpuCore, tpu_cores

__all__ = [
    "KERNEL",
    "FusedPart",
    "GpuDevice",
    "Instructions",
    "KindSums",
    "OpTable",
    "Operation",
    "TpuCore",
    "gpu_devices",
    "gpu_op_table",
    "kind_sums",
    "op_table",
    "tpu_cores",
]
