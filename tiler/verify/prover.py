"""The prover: whatever proves records of some kinds, each record as it comes in the order of keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from tilescope.tiler.records.record import Record

Take = Callable[[bytes, bytes], None]  # takes a record by its key and value; raises DamagedStore


class Prover(Protocol):
    """Proves records of its kinds."""

    @property
    def takes(self) -> Mapping[Record, Take]:
        """The kinds, and what takes the records of each."""

    def finish(self) -> None:
        """To be called after the last record. Raises DamagedStore where any is missing."""
