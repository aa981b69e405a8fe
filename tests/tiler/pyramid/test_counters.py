"""Tiles of counters: native code against the reference."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.tiler.pyramid.native_tree import NativeTree, assert_same_counter, native_counter
from tests.tiler.pyramid.reference import LEAF, counter_tree, root_level

VALUES = st.floats(-1e12, 1e12)


def check(samples: list[tuple[int, float]], end: int = 0) -> NativeTree:
    samples = sorted(samples, key=lambda sample: sample[0])
    root = root_level(max([time for time, _ in samples] + [end]))
    found = native_counter(samples, root)
    assert_same_counter(found, counter_tree(samples, root), samples)
    return found


@given(st.lists(st.tuples(st.integers(0, 60) | st.integers(0, 2**61 - 1), VALUES), max_size=40))
def test_few_samples_in_any_arrangement(samples: list[tuple[int, float]]) -> None:
    check(samples)


@settings(max_examples=examples(25), deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5000), VALUES), min_size=1, max_size=6), st.integers(1, 5000))
def test_many_samples_of_any_pattern(pattern: list[tuple[int, float]], stride: int) -> None:
    check([(k * stride + time, value + k) for k in range(1100) for time, value in pattern])


@pytest.mark.parametrize("spread", [1, 40, 4**8, 4**14])
def test_thousands_of_samples(spread: int) -> None:
    rng = random.Random(spread)
    samples = [(rng.randrange(9) * 4**20 + rng.randrange(spread), rng.uniform(-1, 1)) for _ in range(9001)]
    tree = check(samples)
    assert any(not tile.flags & LEAF for tile, _ in tree.values())


def test_no_value_is_in_force_before_the_first_sample() -> None:
    tree = check([(100_000 + k, 5.0) for k in range(2000)], end=4**12)
    tile, _ = tree[root_level(4**12), 0]
    assert tile.counter_bins.mean.tolist() == [5.0] * len(tile.counter_bins)
