"""Which operations of a track begin an occurrence, where several may be one: kernels of an instruction."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.records.device.operations import Operations

Ints = NDArray[np.int64]


class Occurrences:
    """Goes over the records of a track, in any order.

    An occurrence begins where another group begins, and where the kind of its first operation comes again: of A B A B
    there are two. So it depends on what came before, never on what is looked at.
    """

    def __init__(self, group: Ints, record: Callable[[int], Operations]) -> None:
        """`group`: of each kind."""
        self._group = group
        self._record = record
        self._ended = -1  # the last record that was gone over,
        self._first = -1  # and the first kind of the group that it ends with

    def firsts(self, kind: Ints, number: int) -> NDArray[np.bool_]:
        """Which operations of a record begin an occurrence."""
        group = self._group[kind]
        begins = np.diff(group, prepend=-1) != 0
        before = self._first_at_end(number - 1, int(group[0]))
        if before >= 0:
            begins[0] = False
        firsts = np.concatenate([[before], kind[np.flatnonzero(begins)]])
        of_run = firsts[np.cumsum(begins)]
        self._ended, self._first = number, int(of_run[-1])
        found: NDArray[np.bool_] = kind == of_run
        return found

    def _first_at_end(self, number: int, group: int) -> int:
        """The first kind of those of a group that a record ends with; -1: it ends with another one."""
        if number < 0:
            return -1
        if number == self._ended:
            return self._first if self._group[self._first] == group else -1
        first = -1
        while number >= 0:
            kind = self._record(number).kind
            others = np.flatnonzero(self._group[kind] != group)
            if len(others):
                at = int(others[-1]) + 1
                return int(kind[at]) if at < len(kind) else first
            first = int(kind[0])
            number -= 1
        return first
