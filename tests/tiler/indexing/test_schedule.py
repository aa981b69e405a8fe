"""Which track is built next."""

from __future__ import annotations

from collections.abc import Sequence

from tilescope.tiler.columns import TrackKind
from tilescope.tiler.indexing.priorities import Priorities
from tilescope.tiler.indexing.schedule import Schedule
from tilescope.tiler.indexing.tracks.layout import PlacedTrack


def block(first: int, weights: Sequence[int]) -> list[PlacedTrack]:
    return [
        PlacedTrack(first + k, 0, TrackKind.SLICE, "", "", 0, first + k, weight) for k, weight in enumerate(weights)
    ]


BLOCKS = [block(0, [5, 1]), [], block(64, [1, 8]), block(96, [9])]


def order(priorities: Priorities) -> list[int]:
    schedule = Schedule(BLOCKS, priorities, rows_at_once=1000)
    found = []
    while (track := schedule.take()) is not None:
        found.append(track.id)
    return found


def test_the_heaviest_block_comes_first_and_of_equal_ones_the_upper_and_in_it_the_heaviest_track() -> None:
    assert order(Priorities()) == [65, 64, 96, 0, 1]


def test_a_block_that_is_wanted_comes_before_heavier_ones() -> None:
    priorities = Priorities()
    priorities.want([7, 0])
    assert order(priorities) == [0, 1, 65, 64, 96]
