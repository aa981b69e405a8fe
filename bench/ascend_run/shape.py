"""Shape of a synthetic training on Ascend: its size, and its faults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

TICK_NS: Final = 10  # of devices: what step traces count
TICKS_PER_MS: Final = 100_000
START_NS: Final = 1_767_225_600_123_456_789  # of generation 2: files show three decimals of a microsecond
COUNTER: Final = 43_806_841_592  # of generation 1: ticks since rank 0 was switched on
_COUNTER_STEP: Final = 1_000_003  # devices count for themselves


@dataclass(frozen=True, slots=True)
class AscendShape:
    """The same shape gives the same bytes."""

    seed: int = 47
    ranks: int = 4
    stages: int = 2
    steps: int = 5
    layers: int = 3  # of a stage; 16 operators each
    slow_rank: int | None = 1  # its kernels take longer
    slow_peer: int | None = 2  # what `slow_reader` gets from it comes slowly
    slow_reader: int | None = 3
    fed_slowly: int | None = 0  # a rank whose data come late in each step
    starved_step: int | None = 2  # from 0 on; data come late, of all ranks
    reduce_every: int = 1  # layers whose gradients are reduced together
    pause_every: int = 1  # operators from one pause of the device to the next
    launches: int = 1  # 0: no events of the host that launch kernels

    def __post_init__(self) -> None:
        if self.ranks % self.stages:
            raise ValueError(f"{self.ranks} ranks do not divide into {self.stages} stages")

    @property
    def width(self) -> int:
        """Ranks of a stage: they hold the same layers."""
        return self.ranks // self.stages

    def stage(self, rank: int) -> int:
        return rank // self.width

    def group(self, rank: int) -> range:
        """The ranks that reduce gradients together."""
        first = self.stage(rank) * self.width
        return range(first, first + self.width)

    def counter(self, rank: int) -> int:
        """The device's clock, in ticks, when its timeline begins."""
        return COUNTER + rank * _COUNTER_STEP
