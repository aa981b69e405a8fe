"""Operations of devices: their metadata, and their time in any windows."""

from tilescope.tiler.facts.operations.gpu_source import GpuDevice, gpu_devices, gpu_op_table
from tilescope.tiler.facts.operations.kind_sums import KindSums, kind_sums
from tilescope.tiler.facts.operations.launched_source import launched_by_split
from tilescope.tiler.facts.operations.operation import Operation
from tilescope.tiler.facts.operations.operation_table import LaunchedWork, OpTable
from tilescope.tiler.facts.operations.program_instructions import KERNEL, FusedPart, Instructions
from tilescope.tiler.facts.operations.source import OperationSource
from tilescope.tiler.facts.operations.sources import framework_source, has_operations, operation_source
from tilescope.tiler.facts.operations.tpu_source import TpuCore, op_table, tpu_cores

__all__ = [
    "KERNEL",
    "FusedPart",
    "GpuDevice",
    "Instructions",
    "KindSums",
    "LaunchedWork",
    "OpTable",
    "Operation",
    "OperationSource",
    "TpuCore",
    "framework_source",
    "gpu_devices",
    "gpu_op_table",
    "has_operations",
    "kind_sums",
    "launched_by_split",
    "op_table",
    "operation_source",
    "tpu_cores",
]
