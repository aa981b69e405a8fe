"""Extents of a chunk of a table about memory: from when to when its rows are, and how much they come to, by owner.

Times are nanoseconds since the epoch and the picoseconds beyond: they hold whatever a run begins with.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from msgspec import Struct

Stamp = tuple[int, int]
Reach = tuple[int, int]  # nanoseconds since the epoch: the first, and that behind the last

NO_SIZE: Final = -(1 << 63)


class SampleExtent(Struct, frozen=True, array_like=True):
    """Samples of one figure of a component."""

    first: Stamp  # of a sample; that of any row if there is none
    last: Stamp
    most: int  # bytes, NO_SIZE: no sample
    drawn: int  # plain numbers


class FillExtent(Struct, frozen=True, array_like=True, tag="fill"):
    """Rows of a component of a device that have a time."""

    owner: tuple[str, str]  # device, component
    first: Stamp
    last: Stamp
    is_ascending: bool  # in the order of time
    allocated: SampleExtent
    reserved: SampleExtent

    def is_within(self, reach: Reach) -> bool:
        """True if all of its rows are in it."""
        return reach[0] <= self.first[0] and self.last[0] < reach[1]

    @property
    def size_bytes(self) -> int:
        """Bytes of the greatest sample."""
        return max(self.allocated.most, self.reserved.most)


class MomentExtent(Struct, frozen=True, array_like=True):
    """Allocations, or frees, of a device."""

    first: Stamp
    last: Stamp
    events: int
    size_bytes: int  # of all of them together, as far as it is recorded


class AllocationExtent(Struct, frozen=True, array_like=True, tag="allocation"):
    """Allocations of a device; None: none begins, or ends, at a known time."""

    owner: str  # device
    made: MomentExtent | None
    freed: MomentExtent | None
    last_end: Stamp | None  # of those that begin at a known time; None: of one it is not known

    def is_within(self, reach: Reach) -> bool:
        """True if all times are in it."""
        return all(reach[0] <= moment.first[0] and moment.last[0] < reach[1] for moment in self._moments)

    @property
    def size_bytes(self) -> int:
        """Bytes of all that is allocated, or of all that is freed: the greater sum."""
        return max((moment.size_bytes for moment in self._moments), default=0)

    @property
    def _moments(self) -> list[MomentExtent]:
        return [moment for moment in (self.made, self.freed) if moment is not None]


MemoryExtent: TypeAlias = FillExtent | AllocationExtent
