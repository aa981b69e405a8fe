"""Grids of chips: those of each host lie together."""

from __future__ import annotations

import pytest

from tilescope.tiler.facts.core_places import grid_of


@pytest.mark.parametrize(
    ("hosts", "width"),
    [
        ([range(4), range(4, 8), range(8, 12), range(12, 16)], 4),  # a row each
        ([(0, 1, 4, 5), (2, 3, 6, 7), (8, 9, 12, 13), (10, 11, 14, 15)], 4),  # 2 × 2 each
        ([range(4, 8)], 2),  # the second host alone
        ([(7,)], 1),
        ([(0, 1), (2, 3), (4, 5)], 2),
    ],
)
def test_hosts_fill_rectangles_of_the_grid(hosts: list[range], width: int) -> None:
    first = min(chip for of in hosts for chip in of)
    chips = {chip for of in hosts for chip in of}
    assert grid_of(hosts) == {chip: ((chip - first) % width, (chip - first) // width) for chip in chips}


def test_chips_that_fill_no_grid_have_no_places() -> None:
    assert grid_of([]) == {}
    assert grid_of([(0, 1), (3,)]) == {}  # a gap
    assert grid_of([(0, 1), (1, 2)]) == {}  # one of two hosts
    assert grid_of([(0, 3), (1, 2)]) == {}  # no rectangles
