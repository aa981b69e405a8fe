"""Which thread of the file a slice is on: its track's, or one beside it where it overlaps others only in part."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

# Beyond so many lanes, slices stay on the last one: no viewer shows more.
MAX_LANES: Final = 200


@dataclass(slots=True)
class ThreadLanes:
    """The slices of one track that are open, lane by lane. They come in canonical order: by start, the longer first."""

    _open: list[list[int]] = field(default_factory=list)  # of each lane the ends, those of the innermost last

    def place(self, start: int, end: int) -> int:
        """The first lane on which the slice lies wholly within those that are open, or after them."""
        for lane, ends in enumerate(self._open):
            while ends and ends[-1] <= start:
                ends.pop()
            if not ends or end <= ends[-1]:
                ends.append(end)
                return lane
        if len(self._open) < MAX_LANES:
            self._open.append([end])
            return len(self._open) - 1
        self._open[-1].append(end)
        return MAX_LANES - 1

    def __len__(self) -> int:
        return len(self._open)
