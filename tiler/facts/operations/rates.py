"""How fast operations compute and move bytes, and what keeps them from being faster."""

from __future__ import annotations

from dataclasses import dataclass

from tilescope.tiler.facts.operations.metadata import Memory
from tilescope.tiler.facts.operations.op_table import Operation
from tilescope.tiler.facts.operations.peaks import Peaks

_PS = 1e12


@dataclass(frozen=True, slots=True)
class Rates:
    """Of operations, per second of their total time; None where they take none."""

    flops: float | None
    model_flops: float | None
    bytes: float | None
    hbm: float | None
    intensity: float | None  # FLOPs per byte
    bound_by: str  # the resource with the greatest share of its peak; "" unknown
    share: float | None  # that share


def rates_of(operation: Operation, peaks: Peaks) -> Rates:
    """The rates of operations on a device."""
    time = operation.total / _PS

    def rate(amount: int) -> float | None:
        return amount / time if time else None

    flops, hbm = rate(operation.flops), rate(operation.hbm_bytes)
    # The first of equal ones counts.
    resources = (
        ("Compute", flops, peaks.flops),
        ("HBM", hbm, peaks.hbm),
        ("CMEM read", rate(operation.memory_bytes(Memory.CMEM, written=False)), peaks.cmem_read),
        ("CMEM write", rate(operation.memory_bytes(Memory.CMEM, written=True)), peaks.cmem_write),
        ("VMEM read", rate(operation.memory_bytes(Memory.VMEM, written=False)), peaks.vmem_read),
        ("VMEM write", rate(operation.memory_bytes(Memory.VMEM, written=True)), peaks.vmem_write),
    )
    bound_by, share = "", 0.0
    for name, reached, peak in resources:
        if reached is not None and peak is not None and reached / peak > share:
            bound_by, share = name, reached / peak
    return Rates(
        flops,
        rate(operation.model_flops),
        rate(operation.bytes),
        hbm,
        operation.flops / operation.bytes if operation.bytes else None,
        bound_by,
        share or None,
    )
