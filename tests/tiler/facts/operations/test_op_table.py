"""Tables of operations: what is asked of them for each of very many operations takes no longer for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from tilescope.tiler.facts.operations.op_table import Operation, OpTable


class CountedOperations:
    """Operations that count how often somebody goes over them."""

    def __init__(self, *own: int) -> None:
        self.own = own
        self.looks = 0

    def __iter__(self) -> Iterator[Operation]:
        self.looks += 1
        return iter([Operation(cast(Any, None), own=own) for own in self.own])


def test_times_of_all_are_summed_once() -> None:
    counted = CountedOperations(3, 4)
    table = OpTable(cast(Any, counted), 10, 1, [])
    for _ in range(5):
        assert (table.busy, table.idle, table.whole) == (7, 3, 10)
    assert counted.looks == 1
