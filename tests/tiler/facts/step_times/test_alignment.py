"""Steps of several hosts that enter means: the same for all of them."""

from __future__ import annotations

import numpy as np
import pytest

from tilescope.tiler.facts.step_times import StepTimes, aligned


def host(numbers: list[int], first_cut: int | None) -> StepTimes:
    """A host with steps of these numbers; `first_cut`: that whose begin was not recorded."""
    number = np.array(numbers, np.int64)
    none, is_whole = np.zeros(len(number), np.int64), np.ones(len(number), np.bool_)
    is_first = number == (-1 if first_cut is None else first_cut)
    return StepTimes(
        0,
        number,
        none,
        none,
        none,
        is_whole,
        none,
        none,
        none,
        {},
        overlap=False,
        counted=False,
        first_cut=is_first,
    )


@pytest.mark.parametrize(
    ("hosts", "counted"),
    [
        ([([1, 2, 3], 1), ([1, 2, 3], 1)], {2, 3}),
        ([([1, 2, 3], 1), ([2, 3, 4], 2)], {3}),
        # The only step of both is the first of one: all fall back, not that one alone.
        ([([1, 2], None), ([2, 3], 2)], {1, 3}),
        ([([1], 1), ([1], 1)], {1}),
        ([([1, 2], None), ([3, 4], None)], {1, 2, 3, 4}),
    ],
)
def test_means_are_of_the_same_steps_on_all_hosts(hosts: list[tuple[list[int], int | None]], counted: set[int]) -> None:
    times = [host(*steps) for steps in hosts]
    together = aligned(times)
    assert set(together.number[together.in_means(times)].tolist()) == counted
    for host_times, rows in zip(times, together.mean_rows(times), strict=True):
        assert set(host_times.number[rows].tolist()) == counted & set(host_times.number.tolist())
