"""Allocations that the runtime recorded: memories, their fill over time, and their content at any time."""

from tilescope.tiler.facts.memory.kept import event_memories, hosts_of, listed_memories, memories_of, used_curve
from tilescope.tiler.facts.memory.memory import MemoryFigures, RecordedMemory
from tilescope.tiler.facts.memory.pool import Curve, Fill, Live, MemoryPool, Peak
from tilescope.tiler.facts.memory.records import NO_ALLOCATIONS, records_allocations
from tilescope.tiler.facts.memory.table_pools import memory_tables

__all__ = [
    "NO_ALLOCATIONS",
    "Curve",
    "Fill",
    "Live",
    "MemoryFigures",
    "MemoryPool",
    "Peak",
    "RecordedMemory",
    "event_memories",
    "hosts_of",
    "listed_memories",
    "memories_of",
    "memory_tables",
    "records_allocations",
    "used_curve",
]
