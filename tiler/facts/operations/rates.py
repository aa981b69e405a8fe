"""How fast operations compute and move bytes, and what keeps them from being faster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tilescope.tiler.facts.operations.metadata import Memory
from tilescope.tiler.facts.operations.operation import Operation
from tilescope.tiler.facts.operations.peaks import Peaks

_PS: Final = 1e12


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
    flops_share: float | None = None  # of the peak
    memory_share: float | None = None  # the greatest of all memories
    bound_intensity: float | None = None  # FLOPs per byte of what bounds them

    @property
    def optimal_flops(self) -> float | None:
        """What could be reached with so many FLOPs per byte; None: there are none, or no peak is known."""
        return self.flops / self.share if self.flops and self.share else None


# Bytes of what starts, or of what waits for a start before, move while others run: over its own time they are no rate.
ASYNC: Final = "async"
_STARTS: Final = "-start"
_WAITS: Final = "-done"
_NO_RATES: Final = Rates(None, None, None, None, None, ASYNC, None)


def rates_of(operation: Operation, peaks: Peaks) -> Rates:
    """The rates of operations on a device. Those that go on after their event ended have none."""
    if operation.metadata.category.endswith(_STARTS):
        return _NO_RATES
    time = operation.total / _PS

    def rate(amount: int) -> float | None:
        return amount / time if time else None

    is_known = bool(operation.flops or operation.bytes) or operation.metadata.flops is not None
    hbm = operation.hbm_bytes
    flops, memories = rate(operation.flops) if is_known else None, _memories(operation, hbm, peaks)
    flops_share = None if flops is None or peaks.flops is None else flops / peaks.flops
    # The first of equal ones counts.
    bound_by, bytes_of, share = ("Compute", operation.bytes, flops_share) if flops_share else ("", 0, 0.0)
    memory_share = 0.0
    for name, moved, peak in memories:
        reached = rate(moved)
        if reached is not None and peak is not None:
            memory_share = max(memory_share, reached / peak)
            if reached / peak > share:
                bound_by, bytes_of, share = name, moved, reached / peak
    if share > 1 and operation.metadata.category.endswith(_WAITS):
        return _NO_RATES  # it waited for less time than the bytes took
    return Rates(
        flops,
        rate(operation.model_flops) if is_known else None,
        rate(operation.bytes) if is_known else None,
        rate(hbm) if is_known else None,
        operation.flops / operation.bytes if operation.bytes else None,
        bound_by,
        share or None,
        flops_share,
        memory_share or None,
        operation.flops / bytes_of if bytes_of else None,
    )


def _memories(operation: Operation, hbm: int, peaks: Peaks) -> Sequence[tuple[str, int, float | None]]:
    """Bytes by memory, and its peak."""
    return (
        ("HBM", hbm, peaks.hbm),
        ("CMEM read", operation.memory_bytes(Memory.CMEM, written=False), peaks.cmem_read),
        ("CMEM write", operation.memory_bytes(Memory.CMEM, written=True), peaks.cmem_write),
        ("VMEM read", operation.memory_bytes(Memory.VMEM, written=False), peaks.vmem_read),
        ("VMEM write", operation.memory_bytes(Memory.VMEM, written=True), peaks.vmem_write),
    )
