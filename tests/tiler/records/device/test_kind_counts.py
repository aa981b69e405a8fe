"""How often kinds of operations start in steps: what is counted while they are written is what a plain walk counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.indexing.device.step_lines import apart
from tilescope.tiler.records.device.kind_count_maker import KindCountMaker
from tilescope.tiler.records.device.kind_counts import MAX_COMPARED, SAID, KindCounts
from tilescope.tiler.records.device.operations import Operations
from tilescope.tiler.verify.kind_counts import PlainKindCounts

CUSTOM = np.array([False, True, False, True])  # of each kind


class Told(NamedTuple):
    """An operation, with what it says of `SAID`; -1: nothing."""

    start: int
    kind: int
    numbers: tuple[int, int, int]
    ticks: int = 0


numbers = st.sampled_from([-1, 0, 3, 1 << 46, (1 << 62) - 1])
said_by = st.tuples(numbers, numbers, numbers)
ops = st.lists(st.builds(Told, st.integers(0, 60), st.integers(0, 3), said_by, st.integers(0, 25)), max_size=40)
spans = st.lists(st.tuples(st.integers(0, 70), st.integers(0, 20)), max_size=8)


def operations(of: Sequence[Told]) -> tuple[Operations, np.ndarray, np.ndarray]:
    columns = np.array([one.numbers for one in of], np.int64).reshape(-1, 3)
    told = np.flatnonzero((columns >= 0).any(axis=1))
    kind, nothing = np.array([one.kind for one in of], np.int64), np.zeros(len(of), np.int64)
    said = {name: columns[told, what] for what, name in enumerate(SAID) if (columns[told, what] >= 0).any()}
    start, ticks = (np.array([getattr(one, name) for one in of], np.int64) for name in ("start", "ticks"))
    return Operations(kind, nothing - 1, nothing, told if said else told[:0], said), start, ticks


def part(of: Told, begin: int, end: int) -> tuple[int, int]:
    """The ticks of an event that a step has, from its start on."""
    first, last = (min(max(tick - of.start, 0), of.ticks) for tick in (begin, end))
    return first, last


def rows(columns: Sequence[np.ndarray]) -> list[tuple[int, ...]]:
    return list(zip(*(column.tolist() for column in columns), strict=True))


@given(ops.map(sorted), spans, st.integers(0, 40))
def test_counts_are_those_of_a_plain_walk(of: list[Told], lasting: list[tuple[int, int]], cut: int) -> None:
    starts, lengths = np.array(lasting, np.int64).reshape(-1, 2).T
    steps = apart(starts, starts + lengths)
    maker, prover, known = KindCountMaker(steps.start, steps.stop), PlainKindCounts(steps.start, steps.stop), 0
    for some in (of[:cut], of[cut:]):
        if some:
            piece, start, ticks = operations(some)
            seen = max(known, 1 + int(piece.kind.max()))
            maker.add_kinds(CUSTOM[known:seen])
            maker.add(piece, start, ticks)
            if len(steps):
                prover.add(piece, CUSTOM[:seen], start, ticks)
            known = seen
    found, proved = maker.counts(), prover.finish()
    counts: list[Counter[int]] = [Counter() for _ in range(len(steps))]
    said: Counter[tuple[int, int, int]] = Counter()
    cuts: list[tuple[int, int, int, int, int]] = []
    for step, (begin, end) in enumerate(zip(steps.start.tolist(), steps.stop.tolist(), strict=True)):
        for one in of:
            if begin <= one.start < end:
                counts[step][one.kind] += 1
            first, last = part(one, begin, end)
            is_here = first < last or (not one.ticks and begin <= one.start < end)
            if 0 < last - first < one.ticks:
                cuts.append((step, one.kind, first, last, one.ticks))
            for what, value in enumerate(one.numbers if CUSTOM[one.kind] and is_here else ()):
                if value >= 0:
                    upto, earlier = (value * tick // one.ticks if one.ticks else value for tick in (last, first))
                    said[step, one.kind, what] += upto - (earlier if one.ticks else 0)
    if max(said.values(), default=0) >= 1 << 63:
        assert found is proved is None
        return
    assert found is not None
    assert proved is not None
    before: Counter[int] = Counter()
    changes = []
    for step, row in enumerate(counts):
        changes += [(step, kind, row[kind]) for kind in range(4) if row[kind] != before[kind]]
        before = row
    for counted in (found, proved):
        assert rows((counted.step, counted.kind, counted.count)) == changes
        saying = rows((counted.said_step, counted.said_kind, counted.said_what, counted.said))
        assert saying == [(*key, value) for key, value in sorted((key, said[key]) for key in said)]
        assert (
            rows((counted.cut_step, counted.cut_kind, counted.cut_first, counted.cut_last, counted.cut_length)) == cuts
        )


def test_too_many_kinds_for_so_many_steps() -> None:
    starts = np.arange(1 << 16, dtype=np.int64)
    are_custom = np.zeros((MAX_COMPARED >> 16) + 1, np.bool_)
    piece, start, ticks = operations([Told(0, 0, (-1, -1, -1))])
    for kinds, is_stored in ((are_custom[1:], True), (are_custom, False)):
        maker, prover = KindCountMaker(starts, starts + 1), PlainKindCounts(starts, starts + 1)
        maker.add_kinds(kinds)
        maker.add(piece, start, ticks)
        prover.add(piece, kinds, start, ticks)
        assert (maker.counts() is not None) == (prover.finish() is not None) == is_stored


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("step", [0, 2]),
        ("step", [1, 0]),
        ("kind", [0, -1]),
        ("count", [1]),
        ("said_what", [3]),
        ("said", [-1]),
        ("cut_step", [2]),
        ("cut_first", [3]),
        ("cut_length", [2]),
    ],
)
def test_columns_that_make_no_sense(column: str, values: list[int]) -> None:
    columns = {
        "step": [0, 1],
        "kind": [0, 0],
        "count": [2, 3],
        "said_step": [1],
        "said_kind": [0],
        "said_what": [2],
        "said": [5],
        "cut_step": [1],
        "cut_kind": [0],
        "cut_first": [1],
        "cut_last": [3],
        "cut_length": [9],
    }
    for wrong in ({}, {column: values}):
        some = {name: np.array(of, np.int64) for name, of in (columns | wrong).items()}
        assert (KindCounts.of(some, 2) is None) == bool(wrong)
