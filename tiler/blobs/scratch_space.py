"""Disk space for scratch copies: which blocks of them are in use, and which may be dropped."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Protocol

from tilescope.tiler.errors import BlobError
from tilescope.tiler.size_text import size_text

BLOCK_BYTES: Final = 1 << 20  # what is held or dropped
DEFAULT_SCRATCH_BYTES: Final = 20 * 10**9

_PATIENCE_S: Final = 5.0  # for others to let go: rather a little more space than a standstill


class BlockOwner(Protocol):
    """A file of blocks."""

    @property
    def address(self) -> str: ...

    def show(self, block: int) -> None:
        """Marks a block as present."""
        ...

    def drop(self, block: int) -> bool:
        """Gives the space of a block back. False where the file system cannot."""
        ...


class ScratchSpace:
    """Space for copies in a folder, `limit_bytes` for all together. From any thread."""

    def __init__(self, folder: Path, limit_bytes: int = DEFAULT_SCRATCH_BYTES) -> None:
        self.folder = folder
        self.limit_bytes = limit_bytes
        self._limit = max(1, limit_bytes // BLOCK_BYTES)  # in blocks, like all below
        self._present = 0
        self._kept: set[tuple[BlockOwner, int]] = set()  # held until their owner is closed
        self._held: dict[tuple[BlockOwner, int], int] = {}  # how often each is held
        self._idle: OrderedDict[tuple[BlockOwner, int], None] = OrderedDict()  # present, the least recently used first
        self._changing = threading.Condition()

    @property
    def present_bytes(self) -> int:
        """Bytes on the disk, of all copies."""
        return self._present * BLOCK_BYTES

    def has_room(self, blocks: int) -> bool:
        """True if so many blocks can be read ahead without dropping others."""
        return self._present + blocks <= self._limit

    def take(self, owner: BlockOwner, blocks: Sequence[int], *, for_good: bool = False) -> None:
        """Holds blocks, present or not. Raises BlobError where they cannot all be there."""
        with self._changing:
            needed_blocks = len(self._kept) + sum((owner, block) not in self._kept for block in blocks)
            if needed_blocks > self._limit:
                needed = size_text(needed_blocks * BLOCK_BYTES)
                raise BlobError(
                    owner.address,
                    f"needs {needed} of scratch space at once, and may take {size_text(self.limit_bytes)}",
                    advice="allow more with --scratch",
                )
            fresh = sum((owner, block) not in self._held for block in blocks)
            self._changing.wait_for(lambda: len(self._held) + fresh <= self._limit, _PATIENCE_S)
            for block in blocks:
                key = owner, block
                self._held[key] = self._held.get(key, 0) + 1
                self._idle.pop(key, None)
            if for_good:
                self._kept.update((owner, block) for block in blocks)

    def let_go(self, owner: BlockOwner, blocks: Sequence[int], present: bytearray) -> None:
        """Ends a hold. `present`: a byte for each block of the owner."""
        with self._changing:
            for block in blocks:
                key = owner, block
                self._held[key] -= 1
                if not self._held[key]:
                    del self._held[key]
                    if present[block]:
                        self._idle[key] = None
            self._changing.notify_all()

    def added(self, owner: BlockOwner, block: int) -> None:
        """Marks a block that has been written as present, and drops others where there are too many.

        Raises BlobError where the file system cannot give their space back.
        """
        with self._changing:
            owner.show(block)
            self._present += 1
            if (owner, block) not in self._held:
                self._idle[owner, block] = None
            if not self._drop(self._limit):
                raise BlobError(
                    owner.address,
                    f"needs more than {size_text(self.limit_bytes)} of scratch space, since no parts of files can be "
                    f"dropped in {self.folder}",
                    advice="allow more with --scratch",
                )

    @contextmanager
    def unchanged(self) -> Iterator[None]:
        """Within the block no block comes or goes."""
        with self._changing:
            yield

    def drop_idle(self) -> None:
        """Drops all blocks that nobody holds."""
        with self._changing:
            self._drop(0)

    def _drop(self, most: int) -> bool:
        """Drops idle blocks until so many are present. False where the file system cannot."""
        while self._present > most and self._idle:
            other, number = next(iter(self._idle))
            if not other.drop(number):
                return False
            self._idle.popitem(last=False)
            self._present -= 1
        return True

    def closed(self, owner: BlockOwner, present: int) -> None:
        """Forgets the blocks of a copy that is removed."""
        with self._changing:
            for blocks in (self._idle, self._held):
                for key in [key for key in blocks if key[0] is owner]:
                    del blocks[key]
            self._kept = {key for key in self._kept if key[0] is not owner}
            self._present -= present
            self._changing.notify_all()
