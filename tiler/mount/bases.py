"""Numbers of a shard in the run."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from tilescope.tiler.pages import TRACKS_PER_BLOCK
from tilescope.tiler.records.record import KEY_NUMBERS

# Numbers with which keys of records begin that each shard has for itself.
_OWN: Final = frozenset({"track", "block", "file", "attachment", "table", "carrier"}) & KEY_NUMBERS.keys()


class Bases(Struct, frozen=True):
    """Numbers that are added to those of a shard, or where those of the shard behind it begin."""

    block: int = 0
    file: int = 0
    attachment: int = 0
    table: int = 0
    carrier: int = 0
    group: int = 1  # 0: the run

    @property
    def track(self) -> int:
        """The first track, which begins a block."""
        return self.block * TRACKS_PER_BLOCK

    def behind(
        self, *, blocks: int, files: int = 0, attachments: int = 0, tables: int = 0, carriers: int = 0, groups: int
    ) -> Bases:
        """The bases of the shard behind one that has so many of each."""
        return Bases(
            self.block + blocks,
            self.file + files,
            self.attachment + attachments,
            self.table + tables,
            self.carrier + carriers,
            self.group + groups,
        )

    def of_number(self, name: str) -> int | None:
        """The base of a number of keys, by its name; None: it is of something that the run has once."""
        base: int | None = getattr(self, name) if name in _OWN else None
        return base
