"""Time that few steps have beyond the usual."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tilescope.tiler.facts.findings.rare_steps import split_rare


def test_the_excess_of_few_steps_is_apart() -> None:
    rare, usual = split_rare(np.array([[10, 11, 900, 10, 9, 10]]), 1000.0)
    assert rare.tolist() == [[0, 0, 890, 0, 0, 0]]
    assert usual.tolist() == [[10, 11, 10, 10, 9, 10]]


def test_what_half_of_the_steps_have_is_usual() -> None:
    amount = np.array([[0, 500, 0, 500, 0, 500]])
    assert split_rare(amount, 1000.0)[0].tolist() == [[0] * 6]


def test_a_small_excess_is_usual() -> None:
    amount = np.array([[100, 100, 129, 100, 100]])
    assert split_rare(amount, 1000.0)[0].tolist() == [[0] * 5]
    assert split_rare(np.array([[700]]), 1000.0)[1].tolist() == [[700]]


@given(st.lists(st.lists(st.integers(0, 10**15), min_size=7, max_size=7), min_size=1, max_size=4))
@settings(max_examples=examples(200), deadline=None)
def test_the_two_add_up(rows: list[list[int]]) -> None:
    amount = np.array(rows, np.int64)
    rare, usual = split_rare(amount, float(amount.mean()))
    assert (rare + usual == amount).all()
    assert (rare >= 0).all()
    assert (usual >= 0).all()
    assert ((rare > 0).sum(axis=1) * 2 < amount.shape[1]).all()
    for device in range(len(amount)):  # devices are looked at one by one
        assert (split_rare(amount[device : device + 1], float(amount.mean()))[0] == rare[device]).all()
