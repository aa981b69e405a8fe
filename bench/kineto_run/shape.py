"""Shape of a synthetic training with PyTorch: its size, and its faults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

BASE_NS: Final = 1_767_225_600_000_000_000  # `baseTimeNanoseconds`: times of events count from there
HOST_GROUP: Final = "1"  # process group of the ranks of a host; "0" is that of all
WORLD_GROUP: Final = "0"


@dataclass(frozen=True, slots=True)
class KinetoShape:
    """The same shape gives the same bytes. Times in ns."""

    ranks: int = 8
    hosts: int = 2
    cycles: int = 2  # of the profiler: a file of each rank in each
    steps: int = 2  # of a cycle
    layers: int = 3
    graph_kernels: int = 4  # that one launch of a CUDA graph runs
    slow_rank: int = 5  # its kernels and operators last longer: the others wait for it
    slow_percent: int = 40
    clock_offset: int = 1_700_000  # of the clock of each host to that of the one before it
    has_sequence: int = 1  # collectives say `Seq`
    has_stacks: int = 1  # frames of Python, modules among them
    has_memory: int = 1
    seed: int = 50

    def __post_init__(self) -> None:
        if self.ranks % self.hosts or self.ranks < 1:
            raise ValueError(f"{self.ranks} ranks do not divide into {self.hosts} hosts")

    @property
    def ranks_of_host(self) -> int:
        """Ranks, and GPUs, of each host."""
        return self.ranks // self.hosts

    def host(self, rank: int) -> int:
        """The host on which a rank runs."""
        return rank // self.ranks_of_host

    def offset(self, rank: int) -> int:
        """Time that the clock of a rank shows beyond the true one."""
        return self.host(rank) * self.clock_offset

    def members(self, group: str, rank: int) -> list[int]:
        """Ranks of the group of this name in which a rank is."""
        if group == WORLD_GROUP:
            return list(range(self.ranks))
        first = self.host(rank) * self.ranks_of_host
        return list(range(first, first + self.ranks_of_host))

    def peer(self, rank: int) -> int | None:
        """The rank with which it exchanges activations; None: it has none."""
        other = (rank + self.ranks // 2) % self.ranks
        return other if self.ranks % 2 == 0 else None
