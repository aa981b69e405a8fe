"""Begin/end pairing: each rule by example, all of them against the plain-Python reference."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiler.columns.pairing_reference import Named, Row, pair_reference
from tilescope.tiler.columns import EventFlag, Phase
from tilescope.tiler.columns.pairing import Namesakes, PairedSlices, pair

A, B, C = 0, 1, 2
NO_NAME = -1
NO_KEY = -1


def pair_rows(
    rows: list[Row], trace_end: int, *, keyed: bool = True, namesakes: Namesakes | None = None
) -> PairedSlices:
    return pair(
        time=np.array([row[0] for row in rows], np.int64),
        duration=np.array([row[1] for row in rows], np.int64),
        phase=np.array([row[2] for row in rows], np.uint8),
        name=np.array([row[3] for row in rows], np.int32),
        key=np.array([row[4] for row in rows], np.int64) if keyed else None,
        trace_end=trace_end,
        namesakes=namesakes,
    )


def namesakes_of(named: Named) -> Namesakes:
    return Namesakes(
        np.array([named.text.index(text) for text in named.text], np.int32),
        np.array([bool(category) for category in named.category], np.uint8),
    )


def begin(time: int, name: int = A, key: int = NO_KEY) -> Row:
    return (time, 0, Phase.BEGIN, name, key)


def end(time: int, name: int = A, key: int = NO_KEY) -> Row:
    return (time, 0, Phase.END, name, key)


def complete(time: int, duration: int, name: int = A) -> Row:
    return (time, duration, Phase.COMPLETE, name, NO_KEY)


def spans(paired: PairedSlices) -> list[tuple[int, int, int, EventFlag]]:
    """(name, start, end, flags) in the order of the begins."""
    return [
        (int(name), int(start), int(start + duration), EventFlag(int(flags)))
        for name, start, duration, flags in zip(paired.name, paired.start, paired.duration, paired.flags, strict=True)
    ]


NONE, OPEN, RENAMED = EventFlag.NONE, EventFlag.OPEN, EventFlag.RENAMED


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        pytest.param([], [], id="nothing"),
        pytest.param([begin(1, A), begin(2, B), end(3, B), end(4, A)], [(A, 1, 4, NONE), (B, 2, 3, NONE)], id="nested"),
        pytest.param([end(4), begin(1)], [(A, 1, 4, NONE)], id="unsorted"),
        pytest.param(
            [begin(1, A), begin(1, B), end(2, A), end(2, B)], [(A, 1, 2, NONE), (B, 1, 2, NONE)], id="swapped ends"
        ),
        pytest.param(
            [begin(1, A), begin(2, B), end(3, A), end(4, B)], [(A, 1, 3, NONE), (B, 2, 4, NONE)], id="interleaved"
        ),
        pytest.param([begin(1, A), end(2, B)], [(A, 1, 2, RENAMED)], id="renamed"),
        pytest.param([begin(1, A), begin(2, B), end(3, NO_NAME)], [(A, 1, 9, OPEN), (B, 2, 3, NONE)], id="end no name"),
        pytest.param([begin(1, A), begin(2, B), end(5, A)], [(A, 1, 5, NONE), (B, 2, 5, OPEN)], id="open in a parent"),
        pytest.param([begin(1, A), begin(2, B)], [(A, 1, 9, OPEN), (B, 2, 9, OPEN)], id="open to the end"),
        pytest.param([begin(1, A), begin(1, A), end(5, A)], [(A, 1, 9, OPEN), (A, 1, 5, NONE)], id="innermost first"),
        pytest.param([complete(0, 6), begin(2, B)], [(A, 0, 6, NONE), (B, 2, 6, OPEN)], id="open in a complete slice"),
        pytest.param([begin(2, B), complete(3, 2)], [(B, 2, 9, OPEN), (A, 3, 5, NONE)], id="later ones do not limit"),
        pytest.param([begin(2), end(2)], [(A, 2, 2, NONE)], id="length 0"),
        pytest.param([begin(1, A), end(5, A), begin(5, A)], [(A, 1, 5, NONE), (A, 5, 9, OPEN)], id="end before begin"),
        pytest.param(
            [begin(1, A), begin(5, B), end(5, A), end(7, B)], [(A, 1, 5, NONE), (B, 5, 7, NONE)], id="same time by name"
        ),
        pytest.param(
            [begin(1, A), begin(5, A), end(5, A), end(7, A)],
            [(A, 1, 7, NONE), (A, 5, 5, NONE)],
            id="same time same name",
        ),
        pytest.param(
            [begin(1, A), begin(2, B), end(3, A), begin(5, C)],
            [(A, 1, 3, NONE), (B, 2, 3, OPEN), (C, 5, 9, OPEN)],
            id="what was lost does not limit what comes later",
        ),
        pytest.param([begin(12, A)], [(A, 12, 12, OPEN)], id="begins after the end of the trace"),
    ],
)
def test_rules(rows: list[Row], expected: list[tuple[int, int, int, EventFlag]]) -> None:
    assert spans(pair_rows(rows, 9, keyed=False)) == expected


def test_end_without_begin_is_counted() -> None:
    paired = pair_rows([end(1), begin(2), end(3), end(4)], 9)
    assert paired.ends_without_begin == 1 + 1
    assert spans(paired) == [(A, 2, 3, NONE)]


def test_sources_name_the_rows() -> None:
    rows = [(0, 0, Phase.INSTANT, A, NO_KEY), end(6, B), complete(1, 1), begin(3, B)]
    paired = pair_rows(rows, 9, keyed=False)
    assert paired.source.tolist() == [2, 3]
    assert paired.end_source.tolist() == [-1, 1]


def test_keys_have_stacks_of_their_own() -> None:
    rows = [begin(1, A, 7), begin(2, A, 8), end(3, A, 7), end(4, A, 8)]
    assert spans(pair_rows(rows, 9)) == [(A, 1, 3, NONE), (A, 2, 4, NONE)]
    assert spans(pair_rows(rows, 9, keyed=False)) == [(A, 1, 4, NONE), (A, 2, 3, NONE)]


def test_columns_must_agree_in_length() -> None:
    column = np.zeros(2, np.int64)
    with pytest.raises(ValueError, match="differ in length"):
        pair(column, column, np.zeros(1, np.uint8), np.zeros(2, np.int32), None, 0)


def test_a_name_below_minus_one_is_refused() -> None:
    with pytest.raises(ValueError, match="below -1"):
        pair_rows([begin(0, A), end(1, -2)], 9)


def test_names_far_above_the_number_of_rows() -> None:
    far = 2**31 - 1
    assert spans(pair_rows([begin(1, far), begin(2, A), end(3, far), end(4, A)], 9)) == [
        (far, 1, 3, NONE),
        (A, 2, 4, NONE),
    ]


def test_many_rows_in_random_order_come_out_as_if_sorted() -> None:
    random = np.random.default_rng(5)
    size = 20_000
    time = random.permutation(np.arange(size, dtype=np.int64)) * 2**40 - 2**50
    phase = np.where(random.random(size) < 0.5, Phase.BEGIN, Phase.END).astype(np.uint8)
    name = random.integers(-1, 5, size).astype(np.int32)
    zeros = np.zeros(size, np.int64)
    order = np.argsort(time, kind="stable")
    shuffled = pair(time, zeros, phase, name, None, 2**60)
    ordered = pair(time[order], zeros, phase[order], name[order], None, 2**60)
    assert len(shuffled) == np.count_nonzero(phase == Phase.BEGIN)
    by_row = {int(order[row]): k for k, row in enumerate(ordered.source)}
    for k, row in enumerate(shuffled.source):
        assert shuffled.duration[k] == ordered.duration[by_row[int(row)]]


def test_a_deep_stack_with_foreign_ends_stays_linear() -> None:
    size = 200_000
    phase = np.repeat(np.array([Phase.BEGIN, Phase.END], np.uint8), size)
    name = np.concatenate([np.arange(size), np.arange(size) + size]).astype(np.int32)
    zeros = np.zeros(2 * size, np.int64)
    assert pair(zeros, zeros, phase, name, None, 0).renamed == size


# A has no category, B is A with one, C is A with another.
ONE_TEXT = Named("aaa", ["", "x", "y"])


@pytest.mark.parametrize(
    ("rows", "expected", "recategorised"),
    [
        pytest.param([begin(1, B), end(2, A)], [(B, 1, 2, NONE)], 0, id="end without category"),
        pytest.param([begin(1, A), end(2, C)], [(C, 1, 2, NONE)], 0, id="begin without category"),
        pytest.param([begin(1, B), end(2, C)], [(B, 1, 2, NONE)], 1, id="two categories"),
        pytest.param([begin(1, B), end(2, NO_NAME)], [(B, 1, 2, NONE)], 0, id="end without name"),
        pytest.param(
            [begin(1, B), begin(2, C), end(3, B), end(4, C)],
            [(B, 1, 4, NONE), (C, 2, 3, NONE)],
            2,
            id="by text, not by category",
        ),
    ],
)
def test_names_with_one_text(
    rows: list[Row], expected: list[tuple[int, int, int, EventFlag]], recategorised: int
) -> None:
    paired = pair_rows(rows, 9, keyed=False, namesakes=namesakes_of(ONE_TEXT))
    assert spans(paired) == expected
    assert paired.recategorised == recategorised
    assert paired.renamed == 0


def test_a_name_that_no_namesakes_have_is_refused() -> None:
    with pytest.raises(ValueError, match="no such name"):
        pair_rows([begin(0, 3), end(1, 3)], 9, namesakes=namesakes_of(ONE_TEXT))


rows_of_slices = st.lists(
    st.tuples(
        st.integers(0, 12),
        st.integers(0, 6),
        st.sampled_from([Phase.COMPLETE, Phase.BEGIN, Phase.BEGIN, Phase.END, Phase.END, Phase.INSTANT]),
        st.integers(-1, 2),
        st.integers(-1, 1),
    ),
    max_size=24,
)


@given(rows_of_slices, st.integers(0, 20), st.sampled_from([None, ONE_TEXT, Named("aba", ["x", "x", ""])]))
def test_agrees_with_the_reference(rows: list[Row], trace_end: int, named: Named | None) -> None:
    paired = pair_rows(rows, trace_end, namesakes=None if named is None else namesakes_of(named))
    expected = pair_reference(rows, trace_end, named)
    assert paired.recategorised == expected.recategorised
    assert spans(paired) == [(one.name, one.start, one.start + one.duration, one.flags) for one in expected.slices]
    assert paired.source.tolist() == [one.source for one in expected.slices]
    assert paired.end_source.tolist() == [one.end_source for one in expected.slices]
    assert paired.ends_without_begin == expected.ends_without_begin
    assert paired.begins_without_end == sum(bool(one.flags & OPEN) for one in expected.slices)
    assert paired.renamed == sum(bool(one.flags & RENAMED) for one in expected.slices)
