"""An operation of devices: all times that one instruction of a program runs."""

from __future__ import annotations

from dataclasses import dataclass, field

from tilescope.tiler.facts.operations.metadata import Memory, OperationMetadata


@dataclass(slots=True)
class Operation:
    """All operations of one instruction, on all devices that are looked at. Times in ps, on the device."""

    metadata: OperationMetadata
    count: int = 0
    total: int = 0
    own: int = 0  # without those that lie in it
    shortest: int | None = None
    longest: int | None = None
    stall: int = 0  # waiting for copies
    flops: int = 0
    model_flops: int = 0
    bytes: int = 0
    by_memory: dict[tuple[int, bool], int] = field(default_factory=dict)  # bytes by memory and whether it is written
    track: int = -1  # one on which it occurs

    def add(self, other: Operation) -> None:
        """Adds operations that are of the same instruction."""
        self.shortest = min((of for of in (self.shortest, other.shortest) if of is not None), default=None)
        self.longest = max((of for of in (self.longest, other.longest) if of is not None), default=None)
        self.track = other.track if not self.count else self.track
        for name in ("count", "total", "own", "stall", "flops", "model_flops", "bytes"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for key, moved in other.by_memory.items():
            self.by_memory[key] = self.by_memory.get(key, 0) + moved

    @property
    def tells_flops(self) -> bool:
        """Whether the trace says how much it computes."""
        return bool(self.flops) or self.metadata.flops is not None

    @property
    def tells_bytes(self) -> bool:
        """Whether the trace says how much it moves."""
        return bool(self.bytes) or self.metadata.bytes is not None

    @property
    def hbm_bytes(self) -> int:
        """Those that go to the device's memory, or come from it; all where the trace does not tell."""
        return self.known_hbm_bytes if self.by_memory else self.bytes

    @property
    def known_hbm_bytes(self) -> int:
        """Those of which the trace says so."""
        return sum(count for (memory, _), count in self.by_memory.items() if memory == Memory.HBM)

    def memory_bytes(self, memory: int, *, written: bool) -> int:
        """Those that are read from a memory, or written to it."""
        return self.by_memory.get((memory, written), 0)
