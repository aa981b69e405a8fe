"""What the operations of devices are, and how much time they take in any windows."""

from tilescope.tiler.facts.operations.kind_sums import KindSums, kind_sums
from tilescope.tiler.facts.operations.op_table import Operation, OpTable, TpuCore, op_table, tpu_cores

__all__ = ["KindSums", "OpTable", "Operation", "TpuCore", "kind_sums", "op_table", "tpu_cores"]
