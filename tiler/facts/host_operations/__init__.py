"""The operations of hosts: what frameworks do on their threads, how often and for how long, in any windows."""

from tilescope.tiler.facts.host_operations.host_table import (
    HostOperation,
    HostTable,
    RunOperations,
    framework_threads,
    host_operations,
    host_threads,
    operator_shapes,
)
from tilescope.tiler.facts.host_operations.naming import (
    COPY_TO_DEVICE,
    DATASET_TYPE,
    HostOp,
    OpSource,
    derived_type,
    framework_op,
    host_op,
)
from tilescope.tiler.facts.host_operations.operator_split import OperatorKey, OperatorSplit, place_of

__all__ = [
    "COPY_TO_DEVICE",
    "DATASET_TYPE",
    "HostOp",
    "HostOperation",
    "HostTable",
    "OpSource",
    "OperatorKey",
    "OperatorSplit",
    "RunOperations",
    "derived_type",
    "framework_op",
    "framework_threads",
    "host_op",
    "host_operations",
    "host_threads",
    "operator_shapes",
    "place_of",
]
