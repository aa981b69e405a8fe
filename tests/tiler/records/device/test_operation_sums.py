"""Sums of operations that are made while they are written: against a plain walk, and against those of the prover."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiler.records.device.operation_pieces import Op, pieces
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.records.device.operation_sum_maker import OperationSumMaker
from tilescope.tiler.records.device.operation_sums import OperationSums
from tilescope.tiler.records.device.operations import Operations
from tilescope.tiler.verify.operation_sums import PlainSums

STAT = "dma_stall_duration_ps"
KINDS = 5


ops = st.lists(
    st.builds(
        Op,
        st.integers(0, 40),
        st.integers(-1, 12),
        st.integers(0, KINDS - 1),
        st.integers(-1, KINDS - 1),
        st.integers(0, 9),
        st.integers(-1, 4),
    ),
    min_size=1,
    max_size=30,
).map(sorted)


@given(ops, st.integers(0, 30))
def test_sums_are_those_of_a_plain_walk(of: list[Op], cut: int) -> None:
    maker, prover = OperationSumMaker(), PlainSums()
    for piece in pieces(of, cut, STAT):
        maker.add(*piece)
        prover.add(*piece)
    found, proved = maker.finish(KINDS), prover.finish(KINDS)
    assert found is not None
    assert proved is not None
    assert found.encode(3) == proved.encode(3)
    for kind in range(KINDS):
        own = [one for one in of if one.kind == kind]
        assert found.count[kind] == len(own)
        assert found.total[kind] == sum(one.ps for one in own)
        assert found.inner[kind] == sum(one.ps for one in of if one.parent == kind)
        assert found.empty[kind] == sum(one.ps == 0 for one in own)
        assert found.shortest_lasting[kind] == min((one.ps for one in own if one.ps), default=-1)
        longest = max((one.ps for one in own), default=-1)
        assert found.longest[kind] == longest
        assert found.longest_at[kind] == next((at for at, one in enumerate(of) if one in own and one.ps == longest), -1)
        assert found.alone[kind] == (
            not any(
                _meet(of[a], of[b]) for a in range(len(of)) for b in range(len(of)) if a != b and of[a].kind == kind
            )
        )
        if "dma_stall_duration_ps" in found.numbers:
            assert found.numbers[STAT][kind] == sum(max(one.number, 0) for one in own)
    assert (STAT in found.numbers) == any(one.number >= 0 for one in of)
    assert found.busy_ticks == len({tick for one in of for tick in range(one.start, one.start + one.ticks)})


def _meet(one: Op, other: Op) -> bool:
    return max(one.start, other.start) < min(one.start + one.ticks, other.start + other.ticks)


def test_sums_that_are_too_large_are_not_stored() -> None:
    column = np.zeros(2, np.int64)
    of = Operations(column, column - 1, np.full(2, 1 << 61, np.int64))
    maker, prover = OperationSumMaker(), PlainSums()
    maker.add(of, column, column)
    prover.add(of, column, column)
    assert maker.finish(1) is prover.finish(1) is None


def test_a_record_is_what_it_was_made_of() -> None:
    maker = OperationSumMaker()
    for piece in pieces([Op(0, 5, 0, -1, 7, 2), Op(1, 2, 1, 0, 3, -1)], 1, STAT):
        maker.add(*piece)
    found = maker.finish(2)
    assert found is not None
    again = OperationSums.decode(found.encode(9), 9)
    assert again.encode(9) == found.encode(9)
    assert again.alone.tolist() == [0, 0]
    with pytest.raises(DamagedStore, match="no sums of the operations of track 8"):
        OperationSums.decode(found.encode(9), 8)


def test_starts_that_descend_are_refused() -> None:
    maker = OperationSumMaker()
    zero = np.zeros(1, np.int64)
    of = Operations(zero, zero - 1, zero)
    maker.add(of, zero + 5, zero)
    with pytest.raises(ValueError, match="in the order of their starts"):
        maker.add(of, zero, zero)
