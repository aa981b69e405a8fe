"""A shard of a run that is not there: what stands in its place, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from tilescope.tiler.mount.bases import Bases
from tilescope.tiler.records.record import Record
from tilescope.tiler.store.store import NumberedRecord


class MissingShard(Struct, frozen=True):
    """A shard without records. Its hosts keep their place among the others, its tracks their numbers, where known."""

    name: str
    title: str  # in messages
    hosts: Sequence[str]  # empty where nothing is known of it
    blocks: int
    reason: str

    def next_bases(self, bases: Bases) -> Bases:
        """The bases of the shard behind this one."""
        return bases.behind(blocks=self.blocks, groups=len(self.names))

    @property
    def names(self) -> Sequence[str]:
        """Its hosts, or what else it is called by."""
        return self.hosts or [self.title]

    @property
    def line(self) -> str:
        """That it is missing, and why."""
        return f"{self.title} is missing: {self.reason}"


class NoRecords:
    """Reader of a shard that is not there."""

    def get(self, record: Record, *numbers: int) -> bytes | None:
        """Nothing."""

    def at_most(self, record: Record, *numbers: int) -> NumberedRecord | None:
        """Nothing."""

    def scan(self, record: Record, *numbers: int, start: int = 0) -> Iterator[NumberedRecord]:
        """Nothing."""
        return iter(())


NO_RECORDS: Final = NoRecords()
