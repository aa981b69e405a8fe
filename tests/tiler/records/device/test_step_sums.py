"""Sums of operations in steps that are made while they are written: against a plain walk, and against the prover's."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiler.records.device.operation_pieces import Op, pieces
from tilescope.tiler import _native
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.indexing.device.step_lines import apart
from tilescope.tiler.records.device.operations import Operations
from tilescope.tiler.records.device.step_sum_maker import StepSumMaker
from tilescope.tiler.records.device.step_sums import MAX_SUMS, StepSums
from tilescope.tiler.verify.step_sums import MetadataCategories, PlainStepSums

STAT = "all_reduce_unique_id"
TEXTS = ("", "fusion", "copy")
TEXT_OF = np.array([1, 2, 1, 0], np.int32)  # of each number of metadata
METADATA = np.array([2, -1, 1, 0, 9, 3], np.int64)  # of each kind


class Said(MetadataCategories):
    """What `TEXT_OF` says."""

    def __init__(self) -> None:
        self.asked = 0

    def category(self, metadata: int) -> str:
        self.asked += 1
        return TEXTS[TEXT_OF[metadata]] if 0 <= metadata < len(TEXT_OF) else ""


kinds = st.integers(0, len(METADATA) - 1)
ops = st.lists(
    st.builds(
        Op, st.integers(0, 60), st.integers(0, 25), kinds, st.integers(-1, 5), st.integers(0, 99), st.integers(-1, 2)
    ),
    min_size=1,
    max_size=40,
).map(sorted)
spans = st.lists(st.tuples(st.integers(0, 70), st.integers(0, 20)), max_size=8)


def within(op: Op, start: int, stop: int) -> int:
    """What of an operation's time a window has."""
    if not op.ticks:
        return op.ps if start <= op.start < stop else 0
    upto, after = (min(max(tick - op.start, 0), op.ticks) for tick in (stop, start))
    return op.ps * upto // op.ticks - op.ps * after // op.ticks


@given(ops, spans, st.integers(0, 40))
def test_sums_are_those_of_a_plain_walk(of: list[Op], lasting: list[tuple[int, int]], cut: int) -> None:
    starts, lengths = np.array(lasting, np.int64).reshape(-1, 2).T
    steps = apart(starts, starts + lengths)
    maker = StepSumMaker(steps.start, steps.stop, TEXTS, TEXT_OF)
    prover = PlainStepSums(np.stack([steps.start, steps.stop]), Said())
    known = 0
    for piece, start, ticks in pieces(of, cut, STAT):
        seen = max(known, 1 + int(max(piece.kind.max(), piece.parent.max())))
        maker.add_kinds(METADATA[known:seen])
        maker.add(piece, start, ticks)
        prover.add(piece, METADATA[:seen], start, ticks)
        known = seen
    found, proved = maker.finish(), prover.finish()
    assert found is not None
    if not len(steps):
        assert proved is None
        return
    assert proved is not None
    assert found.encode(3) == proved.encode(3)
    running = {tick for one in of for tick in range(one.start, one.start + one.ticks)}
    for times, busy in ((steps.start, found.busy_at_start), (steps.stop, found.busy_at_stop)):
        assert busy.tolist() == [sum(tick < time for tick in running) for time in times.tolist()]
    own: Counter[tuple[int, str]] = Counter()
    reduces: dict[tuple[int, str, int], int] = {}
    category = [TEXTS[TEXT_OF[number]] if 0 <= number < len(TEXT_OF) else "" for number in METADATA.tolist()]
    for step, (start, stop) in enumerate(zip(steps.start.tolist(), steps.stop.tolist(), strict=True)):
        for one in of:
            ps = within(one, start, stop)
            own[step, category[one.kind]] += ps
            if one.parent >= 0:
                own[step, category[one.parent]] -= ps
            shares = one.start < stop and (one.start + one.ticks > start or one.start >= start)
            if one.number >= 0 and shares:
                key = step, category[one.kind], one.number
                reduces[key] = reduces.get(key, 0) + ps
    names = found.categories
    rows = zip(found.step.tolist(), found.category.tolist(), found.own.tolist(), strict=True)
    assert {(step, names[at]): ps for step, at, ps in rows} == {key: ps for key, ps in own.items() if ps}
    columns = found.reduce_step, found.reduce_category, found.reduce_id, found.reduce_ps
    rows_of_reduces = zip(*(column.tolist() for column in columns), strict=True)
    assert {(step, names[at], number): ps for step, at, number, ps in rows_of_reduces} == reduces


@given(spans)
def test_steps_that_share_no_time(lasting: list[tuple[int, int]]) -> None:
    starts, lengths = np.array(lasting, np.int64).reshape(-1, 2).T
    steps = apart(starts, starts + lengths)
    assert (steps.start < steps.stop).all()
    assert (steps.start[1:] >= steps.stop[:-1]).all()
    covered = {tick for start, length in lasting for tick in range(start, start + length)}
    assert sum((steps.stop - steps.start).tolist()) <= len(covered)
    assert set(steps.start.tolist()) == {start for start, length in lasting if length}


def made(of: list[Op]) -> StepSums:
    maker = StepSumMaker(np.array([0, 10], np.int64), np.array([10, 20], np.int64), TEXTS, TEXT_OF)
    maker.add_kinds(METADATA)
    for piece in pieces(of, 1, STAT):
        maker.add(*piece)
    found = maker.finish()
    assert found is not None
    return found


def test_a_record_is_what_it_was_made_of() -> None:
    found = made([Op(0, 5, 0, -1, 7, 2), Op(8, 4, 2, 0, 4, -1)])
    again = StepSums.decode(found.encode(9), 9)
    assert again.encode(9) == found.encode(9)
    assert again.categories == ("fusion", "", "copy")
    assert list(zip(again.step.tolist(), again.category.tolist(), again.own.tolist(), strict=True)) == [
        (0, 0, 5),
        (0, 2, 2),
        (1, 0, -2),
        (1, 2, 2),
    ]
    with pytest.raises(DamagedStore, match="no sums in steps of the operations of track 8"):
        StepSums.decode(found.encode(9), 8)


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("start", [0, 5]),
        ("stop", [10]),
        ("step", [0, 0, 1, 2]),
        ("category", [0, 2, 0, 3]),
        ("category", [0, 2, 0, -1]),
        ("own", [1]),
        ("reduce_step", [2]),
        ("reduce_id", []),
    ],
)
def test_records_that_make_no_sense(column: str, values: list[int]) -> None:
    found = made([Op(0, 5, 0, -1, 7, 2), Op(8, 4, 2, 0, 4, -1)])
    columns = {name: getattr(found, name) for name in StepSums.__slots__}
    columns[column] = np.array(values, np.int64)
    with pytest.raises(DamagedStore, match="make no sense"):
        StepSums.decode(StepSums(**columns).encode(9), 9)


@pytest.mark.parametrize("data", [b"", b"spam", b"\x81\xaacategories\x90", b"\xc1"])
def test_damaged_records(data: bytes) -> None:
    with pytest.raises(DamagedStore):
        StepSums.decode(data, 9)


def test_more_than_is_held_is_not_stored() -> None:
    zero = np.zeros(1, np.int64)
    step = zero, zero + 10
    long = Operations(np.zeros(2, np.int64), np.full(2, -1), np.full(2, 1 << 61, np.int64))
    maker, prover = StepSumMaker(*step, TEXTS, TEXT_OF), PlainStepSums(np.stack(step), Said())
    maker.add_kinds(METADATA[:1])
    maker.add(long, np.zeros(2, np.int64), np.zeros(2, np.int64))
    prover.add(long, METADATA[:1], np.zeros(2, np.int64), np.zeros(2, np.int64))
    assert maker.finish() is prover.finish() is None
    starts = np.arange(MAX_SUMS // 2 + 1, dtype=np.int64)
    maker, prover = (
        StepSumMaker(starts, starts + 1, TEXTS, TEXT_OF),
        PlainStepSums(np.stack([starts, starts + 1]), Said()),
    )
    one = Operations(zero, zero - 1, zero + 5)
    for known in range(2):
        assert maker.finish() is not None
        maker.add_kinds(METADATA[known : known + 1])
        maker.add(one, zero, zero)
        prover.add(one, METADATA[: known + 1], zero, zero)
    assert maker.finish() is prover.finish() is None
    sums = _native.StepSums(*step, 1)
    sums.add_kinds(zero, TEXT_OF)
    for is_too_much in (False, True):
        assert not sums.is_too_much
        sums.add(zero, zero - 1, zero, zero, zero, zero, zero)
        assert sums.is_too_much == is_too_much


def test_what_makes_no_sense_is_refused() -> None:
    zero, nothing = np.zeros(1, np.int64), np.zeros(0, np.int64)
    with pytest.raises(ValueError, match="share time"):
        _native.StepSums(np.array([0, 5]), np.array([6, 9]), 9)
    with pytest.raises(ValueError, match="different lengths"):
        _native.StepSums(zero, nothing, 9)
    sums = _native.StepSums(zero, zero + 9, 9)
    with pytest.raises(ValueError, match="below 0"):
        sums.add_kinds(zero, np.array([-1], np.int32))
    sums.add_kinds(zero, TEXT_OF)
    sums.add(zero, zero - 1, zero, zero + 5, zero, nothing, nothing)
    for kind, parent, duration, start in ((1, -1, 0, 5), (-1, -1, 0, 5), (0, 1, 0, 5), (0, -1, -1, 5), (0, -1, 0, 4)):
        with pytest.raises(ValueError, match="that there is not"):
            sums.add(zero + kind, zero + parent, zero + duration, zero + start, zero, nothing, nothing)
    with pytest.raises(ValueError, match="a place that there is not"):
        sums.add(zero, zero - 1, zero, zero + 5, zero, zero + 1, zero)
    with pytest.raises(ValueError, match="different lengths"):
        sums.add(zero, nothing, zero, zero + 5, zero, nothing, nothing)
