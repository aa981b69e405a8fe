"""Which operations begin an occurrence: against a plain reference, over records in any order."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.facts.operations.kind_sums import Occurrences
from tilescope.tiler.records.device.operations import Operations

GROUP = [0, 0, 0, 1, 1, 2]  # of each kind


def plainly(kinds: list[int]) -> list[bool]:
    found, first, before = [], -1, -1
    for kind in kinds:
        if GROUP[kind] != before:
            first = kind
        found.append(kind == first)
        before = GROUP[kind]
    return found


@given(st.lists(st.integers(0, 5), min_size=1, max_size=40), st.integers(1, 5), st.randoms())
def test_occurrences(kinds: list[int], size: int, rng: random.Random) -> None:
    records = [kinds[at : at + size] for at in range(0, len(kinds), size)]

    def record(number: int) -> Operations:
        kind = np.array(records[number], np.int64)
        return Operations(kind, kind * 0 - 1, kind)

    order = list(range(len(records)))
    rng.shuffle(order)
    for some in (range(len(records)), order):
        of = Occurrences(np.array(GROUP, np.int64), record)
        found = {number: of.firsts(record(number).kind, number).tolist() for number in some}
        assert [first for number in range(len(records)) for first in found[number]] == plainly(kinds)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=40))
def test_all_operations_begin_one_where_no_two_kinds_are_of_a_group(kinds: list[int]) -> None:
    kind = np.array(kinds, np.int64)
    occurrences = Occurrences(np.arange(6), lambda _: Operations(kind, kind * 0 - 1, kind))
    assert occurrences.firsts(kind, 0).all()
