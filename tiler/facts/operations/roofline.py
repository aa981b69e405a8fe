"""The roofline of a device: how fast it could compute at most, by the FLOPs for each byte of a memory.

The program as a whole is a row of its own: what its instructions compute and move, in all the time of its devices.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from tilescope.tiler.facts.operations.instruction_columns import sum_of
from tilescope.tiler.facts.operations.metadata import OperationMetadata
from tilescope.tiler.facts.operations.op_table import OpTable
from tilescope.tiler.facts.operations.operation import Operation
from tilescope.tiler.facts.operations.peaks import Peaks

PROGRAM: Final = "Program"

_CONTROL: Final = frozenset({"while", "conditional", "call"})
_FEEDS: Final = frozenset({"infeed", "outfeed"})


@dataclass(frozen=True, slots=True)
class Roof:
    """What the bytes of a memory allow."""

    id: str
    title: str
    bandwidth: float  # bytes per second

    def limit(self, intensity: float, flops: float) -> float:
        """The FLOPs per second at so many for each byte, of a device that reaches `flops` at most."""
        return min(self.bandwidth * intensity, flops)

    def ridge(self, flops: float) -> float:
        """The FLOPs for each byte from which on computing is the limit."""
        return flops / self.bandwidth


def roofs(peaks: Peaks) -> list[Roof]:
    """Of the memories whose bandwidth is known."""
    found = (
        ("hbm", "HBM", peaks.hbm),
        ("cmem_read", "CMEM read", peaks.cmem_read),
        ("cmem_write", "CMEM write", peaks.cmem_write),
        ("vmem_read", "VMEM read", peaks.vmem_read),
        ("vmem_write", "VMEM write", peaks.vmem_write),
        ("shared", "Shm/L1", peaks.shared),
    )
    return [Roof(name, title, bandwidth) for name, title, bandwidth in found if bandwidth]


def is_control(category: str) -> bool:
    """Whether operations run others, which are rows of their own."""
    return category in _CONTROL


def is_feed(category: str) -> bool:
    """Whether operations wait for the host's input or take its output."""
    return category in _FEEDS


def nothing_of_program(total: int) -> Operation:
    """A program of which nothing is known but its time, ps."""
    return Operation(_ALL, count=1, total=total)


def program(table: OpTable, *, with_feeds: bool = True) -> Operation:
    """All instructions together, in the time of all devices; infeed and outfeed, and their time, left out or not.

    Where the trace tells which memory bytes belong to, those of which it does not are of no memory here: copies from
    and to the host have them. Where it tells of none, all are of the device's memory.
    """
    of = table.columns
    feeds = of.are(is_feed) & (not with_feeds)
    some = np.flatnonzero(~feeds & ~of.are(is_control))
    found = nothing_of_program(table.span - sum_of(of.own[feeds]))
    found.flops, found.model_flops = sum_of(of.flops[some]), sum_of(of.model_flops[some])
    found.bytes = sum_of(of.bytes[some])
    if of.tells_memory[some].any():
        found.by_memory = {key: sum_of(moved[some]) for key, moved in of.by_memory.items()}
    return found


_ALL: Final = OperationMetadata(
    program="",
    symbol=0,
    name=PROGRAM,
    expression=PROGRAM,
    category=PROGRAM,
    framework="",
    flops=None,
    model_flops=None,
    bytes=None,
    traffic=(),
    source="",
    source_stack="",
    shape="",
    duplicate_of="",
)
