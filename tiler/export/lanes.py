"""Threads of the file for slices: a slice is on its track's, or on one beside it if it overlaps others only in part."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

# Beyond so many lanes, slices stay on the last one: no viewer shows more.
MAX_LANES: Final = 200

# So many slices within one another are looked at on a lane: what is deeper stays on the lane, as no viewer shows it.
MAX_OPEN: Final = 1000


@dataclass(slots=True)
class ThreadLanes:
    """The slices of one track that are open, lane by lane. They come in canonical order: by start, the longer first."""

    _open: list[list[int]] = field(default_factory=list)  # of each lane the ends, those of the innermost last
    _begun: list[int] = field(default_factory=list)  # of each lane the last start
    is_first: bool = True  # of the slice that was placed last: no slice of its lane before it begins when it does

    def place(self, start: int, end: int) -> int:
        """The first lane on which the slice lies wholly within those that are open, or after them."""
        for lane, ends in enumerate(self._open):
            while ends and ends[-1] <= start:
                ends.pop()
            if not ends or end <= ends[-1]:
                return self._placed(lane, start, end)
        if len(self._open) < MAX_LANES:
            self._open.append([])
            self._begun.append(-1)
        return self._placed(len(self._open) - 1, start, end)

    def stay(self, start: int) -> None:
        """The slice is on its track's thread, whatever it overlaps."""
        self._begun = self._begun or [-1]
        self.is_first = self._begun[0] != start
        self._begun[0] = start

    def _placed(self, lane: int, start: int, end: int) -> int:
        if len(self._open[lane]) < MAX_OPEN:
            self._open[lane].append(end)
        self.is_first = self._begun[lane] != start
        self._begun[lane] = start
        return lane

    def __len__(self) -> int:
        return len(self._open)
