"""An operation of devices, which is all times that one instruction of a program runs: its metadata and sums.

Of many there are columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from tilescope.tiler.facts.operations.exact_columns import Exact, Ints, Mask, exact


class Memory(IntEnum):
    """Memories that bytes are moved from or to."""

    HBM = 1
    CMEM = 2
    VMEM = 3


@dataclass(frozen=True, slots=True)
class Traffic:
    """Bytes that an operation reads from a memory, or writes to it."""

    memory: int  # Memory, or what else the trace says
    is_write: bool
    bytes: int


@dataclass(frozen=True, slots=True)
class OperationMetadata:
    """Metadata of the operations of one instruction of a program. A number is None where the trace has none."""

    program: str  # its id, decimal; "" unknown
    symbol: int  # the instruction in the program; 0 none
    name: str  # of the instruction: "fusion.3"
    expression: str  # as HLO text
    category: str
    framework: str  # path in the framework's terms: "jit(step)/jvp(main)/conv1/add:"
    flops: int | None
    model_flops: int | None  # without what was recomputed; those that there are where the trace does not say
    bytes: int | None
    traffic: tuple[Traffic, ...]
    source: str  # "train.py:43"
    source_stack: str
    shape: str
    duplicate_of: str  # the instruction that it is a copy of

    @property
    def provenance(self) -> str:
        """The path in the framework's terms, without the type that follows it."""
        return self.framework.split(":", 1)[0]


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
        self.shortest = min(
            (duration for duration in (self.shortest, other.shortest) if duration is not None), default=None
        )
        self.longest = max(
            (duration for duration in (self.longest, other.longest) if duration is not None), default=None
        )
        self.track = other.track if not self.count else self.track
        for name in ("count", "total", "own", "stall", "flops", "model_flops", "bytes"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for key, moved in other.by_memory.items():
            self.by_memory[key] = self.by_memory.get(key, 0) + moved

    @property
    def tells_flops(self) -> bool:
        """True if the trace says how much it computes."""
        return bool(self.flops) or self.metadata.flops is not None

    @property
    def tells_bytes(self) -> bool:
        """True if the trace says how much it moves."""
        return bool(self.bytes) or self.metadata.bytes is not None

    @property
    def hbm_bytes(self) -> int:
        """Bytes that go to the device's memory, or come from it; all where the trace does not tell."""
        return self.known_hbm_bytes if self.by_memory else self.bytes

    @property
    def known_hbm_bytes(self) -> int:
        """Bytes of which the trace says that they go there, or come from there."""
        return sum(count for (memory, _), count in self.by_memory.items() if memory == Memory.HBM)

    def memory_bytes(self, memory: int, *, written: bool) -> int:
        """Bytes that are read from a memory, or written to it."""
        return self.by_memory.get((memory, written), 0)


@dataclass(frozen=True, slots=True)
class OpColumns:
    """A row for each operation of a table, in its order; `category` is a place in `categories`."""

    count: Exact
    total: Exact
    own: Exact
    flops: Exact
    model_flops: Exact
    bytes: Exact
    known_hbm: Exact
    tells_flops: Mask
    tells_bytes: Mask
    tells_memory: Mask
    rank: Ints  # in the order of programs and instructions
    category: Ints
    categories: Sequence[str]
    by_memory: Mapping[tuple[int, bool], Exact]  # bytes by memory and whether it is written

    @classmethod
    def from_operations(cls, operations: Sequence[Operation]) -> OpColumns:
        """Columns of operations, by what each has."""
        keys = [(operation.metadata.program, operation.metadata.symbol) for operation in operations]
        rank = np.empty(len(keys), np.int64)
        rank[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(keys))
        numbers: dict[str, int] = {}
        category = [numbers.setdefault(operation.metadata.category, len(numbers)) for operation in operations]
        memories = dict.fromkeys(key for operation in operations for key in operation.by_memory)
        return cls(
            exact([operation.count for operation in operations]),
            exact([operation.total for operation in operations]),
            exact([operation.own for operation in operations]),
            exact([operation.flops for operation in operations]),
            exact([operation.model_flops for operation in operations]),
            exact([operation.bytes for operation in operations]),
            exact([operation.known_hbm_bytes for operation in operations]),
            np.array([operation.tells_flops for operation in operations], np.bool_),
            np.array([operation.tells_bytes for operation in operations], np.bool_),
            np.array([bool(operation.by_memory) for operation in operations], np.bool_),
            rank,
            np.array(category, np.int64),
            list(numbers),
            {key: exact([operation.by_memory.get(key, 0) for operation in operations]) for key in memories},
        )

    def __len__(self) -> int:
        return len(self.rank)

    def are(self, wanted: Callable[[str], bool]) -> Mask:
        """Mask of the operations of categories that are wanted."""
        return np.array([wanted(category) for category in self.categories], np.bool_)[self.category]

    def by_time(self) -> Ints:
        """Places of the operations: those that take most time themselves first, then by program and instruction."""
        order = np.argsort(self.rank, kind="stable")
        places: Ints = order[np.argsort(-self.own[order], kind="stable")]
        return places
