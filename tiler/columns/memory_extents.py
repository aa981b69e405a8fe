"""Extents of a chunk of a table about memory: from when to when its rows are, and how much they come to, by owner.

Times are nanoseconds since the epoch and the picoseconds beyond: they hold whatever a run begins with.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, TypeAlias

from msgspec import Meta, Struct

Nanoseconds = Annotated[int, Meta(ge=0, lt=1 << 62)]
Picoseconds = Annotated[int, Meta(ge=0, lt=1000)]
Count = Annotated[int, Meta(ge=0, lt=1 << 62)]

Stamp = tuple[Nanoseconds, Picoseconds]
Reach = tuple[int, int]  # nanoseconds since the epoch: the first, and that behind the last

NO_SIZE: Final = -(1 << 63)


class SampleExtent(Struct, frozen=True, array_like=True):
    """Samples of one figure of a component."""

    first: Stamp  # of a sample; that of any row if there is none
    last: Stamp
    most: Annotated[int, Meta(ge=NO_SIZE, lt=1 << 62)]  # bytes, NO_SIZE: no sample
    drawn: Count  # plain numbers


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
        parts = self, self.allocated, self.reserved
        return _are_within([stamp for part in parts for stamp in (part.first, part.last)], reach)

    @property
    def size_bytes(self) -> int:
        """Bytes of the greatest sample."""
        return max(self.allocated.most, self.reserved.most)


class MomentExtent(Struct, frozen=True, array_like=True):
    """Allocations, or frees, of a device."""

    first: Stamp
    last: Stamp
    events: Count
    size_bytes: Count  # of all of them together, as far as it is recorded


class AllocationExtent(Struct, frozen=True, array_like=True, tag="allocation"):
    """Allocations of a device; None: none begins, or ends, at a known time."""

    owner: str  # device
    made: MomentExtent | None
    freed: MomentExtent | None
    last_end: Stamp | None  # of those that begin at a known time; None: of one it is not known

    def is_within(self, reach: Reach) -> bool:
        """True if all times are in it."""
        stamps = [stamp for moment in self._moments for stamp in (moment.first, moment.last)]
        return _are_within(stamps if self.last_end is None else [*stamps, self.last_end], reach)

    @property
    def size_bytes(self) -> int:
        """Bytes of all that is allocated, or of all that is freed: the greater sum."""
        return max((moment.size_bytes for moment in self._moments), default=0)

    @property
    def _moments(self) -> list[MomentExtent]:
        return [moment for moment in (self.made, self.freed) if moment is not None]


def _are_within(stamps: Sequence[Stamp], reach: Reach) -> bool:
    return all(reach[0] <= ns < reach[1] for ns, _ in stamps)


MemoryExtent: TypeAlias = FillExtent | AllocationExtent
MemoryOwner: TypeAlias = tuple[str, str] | str
