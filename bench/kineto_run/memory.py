"""Memory of a rank: what its allocator gives out, and what lies in it at the peak."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from bench.kineto_run.host_thread import HostThread
from bench.kineto_run.trace_file import TraceFile

_FIRST_ADDRESS = 0x7F00_0000_0000
_TAKES = 150  # ns, before and after: no frame begins or ends at the moment itself


@dataclass(frozen=True, slots=True)
class Block:
    """Bytes that are in use, and the operator that allocated them; "": before this cycle, or none."""

    address: int
    size: int
    owner: str


@dataclass(slots=True)
class Memory:
    """Memory of one device, or of the host."""

    kind: int  # as PyTorch counts: 0 CPU, 1 GPU
    device: int
    used: int = 0
    blocks: dict[int, Block] = field(default_factory=dict)
    peak: int = 0
    peak_time: int = 0
    at_peak: dict[str, list[int]] = field(default_factory=dict)  # count and bytes by owner
    allocations: int = 0
    frees: int = 0
    _next: int = _FIRST_ADDRESS

    def allocate(self, size: int, thread: HostThread, file: TraceFile) -> Block:
        """A new block."""
        operator = thread.innermost("cpu_op")
        block = Block(self._next, size, "" if operator is None else operator.name)
        self._next += size
        self.blocks[block.address] = block
        self.used += size
        self.allocations += 1
        thread.moved(size)
        self._write(thread, file, size, block.address)
        if self.used > self.peak:
            self.peak, self.peak_time = self.used, thread.now - _TAKES + thread.offset
            owners: dict[str, list[int]] = defaultdict(lambda: [0, 0])
            for live in self.blocks.values():
                owners[live.owner][0] += 1
                owners[live.owner][1] += live.size
            self.at_peak = dict(owners)
        return block

    def free(self, block: Block, thread: HostThread, file: TraceFile) -> None:
        """Gives a block back."""
        del self.blocks[block.address]
        self.used -= block.size
        self.frees += 1
        thread.moved(-block.size)
        self._write(thread, file, -block.size, block.address)

    def begin_cycle(self) -> None:
        """Turns all blocks into those from before the cycle."""
        self.blocks = {address: Block(address, block.size, "") for address, block in self.blocks.items()}
        self.peak, self.at_peak, self.allocations, self.frees = 0, {}, 0, 0

    def as_json(self) -> dict[str, object]:
        """Figures of the cycle."""
        return {
            "peak": self.peak,
            "peak_time": self.peak_time,
            "at_peak": self.at_peak,
            "allocations": self.allocations,
            "frees": self.frees,
            "at_end": self.used,
        }

    def _write(self, thread: HostThread, file: TraceFile, size: int, address: int) -> None:
        args = {"Bytes": size, "Addr": address, "Device Type": self.kind, "Device Id": self.device}
        args |= {"Total Allocated": self.used, "Total Reserved": -(-self.used // (1 << 21)) << 21 if self.kind else 0}
        thread.now += _TAKES
        file.instant("cpu_instant_event", "[memory]", thread.pid, thread.tid, thread.now + thread.offset, args)
        thread.now += _TAKES
