"""Memory that a verification may take: counted by the native proof where it may become much, shared by all threads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tilescope.tiler import _native
from tilescope.tiler.errors import UsageError
from tilescope.tiler.memory_limits import out_of_memory

# Of what is allowed, what is not counted: pages while they are inflated, and what the allocator keeps.
_UNCOUNTED = 8

# That much may be counted in any case: with less, hardly a store could be proven.
_LEAST_BYTES = 32 << 20


class ShortOfMemory(Exception):
    """A part of a verification could not be done with what the others left of the memory. Its text says what."""

    def __init__(self, what: str, needed_bytes: int = 0) -> None:
        self.needed_bytes = needed_bytes  # that would have been counted; 0: it was the system that gave no more
        super().__init__(what)


class ProofMemory:
    """The memory of one verification, beside what the process has already: a notebook may hold gigabytes."""

    def __init__(self, location: str, allowed_bytes: int) -> None:
        self._location = location
        self._allowed = allowed_bytes
        self._other = allowed_bytes // _UNCOUNTED
        limit = max(_LEAST_BYTES, allowed_bytes - self._other)
        self.native = _native.MemoryBudget(limit)

    @property
    def limit(self) -> int:
        """Bytes that may be counted at one time."""
        return self.native.limit

    def short(self, what: str) -> ShortOfMemory:
        """The error to raise after a MemoryError in this thread."""
        return ShortOfMemory(what, self.native.refused())

    def refusal(self, short: ShortOfMemory) -> Exception:
        """The error to raise when a part cannot be done even alone: what it is, and how much it takes."""
        if not short.needed_bytes:
            return out_of_memory(f"{self._location}: {short}: out of memory")
        needed = short.needed_bytes + self._other
        what = f"to prove it takes {needed / 1e6:,.0f} MB or more, and {self._allowed / 1e6:,.0f} MB are allowed"
        return UsageError(f"{self._location}: {short}: {what} (give --memory more)")

    @contextmanager
    def taken(self, size_bytes: int) -> Iterator[None]:
        """Counts what the block takes. Raises MemoryError when there is not so much left."""
        self.native.take(size_bytes)
        try:
            yield
        finally:
            self.native.give(size_bytes)
