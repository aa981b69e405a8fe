"""The operation that loses most time below the roofs of its device, against a plain reference."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.tiler.facts.findings.answers import reading
from tests.tiler.json_traces import write_trace
from tilescope.tiler.facts.findings.roofs import Roofs, roofs_of
from tilescope.tiler.facts.operations import Operation
from tilescope.tiler.facts.operations.operation import OperationMetadata
from tilescope.tiler.facts.operations.operation_table import OpTable
from tilescope.tiler.facts.operations.rates import Peaks
from tilescope.tiler.query import QueryReader

PEAKS = Peaks(flops=1e12, hbm=1e11)  # 1 FLOP, and a tenth of a byte, in a ps
STEP = 1_000

CATEGORIES = ("loop fusion", "convolution fusion", "all-reduce", "copy-done", "infeed")
ARE_COMPUTATION = CATEGORIES[:2]


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QueryReader]:
    folder = tmp_path_factory.mktemp("roofs")
    event = {"ph": "X", "name": "any", "pid": 1, "tid": 1, "ts": 0, "dur": 1}
    with reading([write_trace(folder / "trace.json", [event])], folder) as opened:
        yield opened


@dataclass(frozen=True)
class Cost:
    """An operation: ps of it, FLOPs and bytes."""

    category: str
    own: int
    flops: int = 0
    bytes: int = 0

    @property
    def least_ps(self) -> float:
        """Time in which its costs could be done."""
        return max(self.flops, 10 * self.bytes)


def table_of(costs: list[Cost], span: int) -> OpTable:
    rows = []
    for number, cost in enumerate(costs):
        per_run = cost.flops or None, cost.flops or None, cost.bytes or None
        metadata = OperationMetadata("7", number, f"op.{number}", "", cost.category, "", *per_run, (), "", "", "", "")
        rows.append(Operation(metadata, 1, cost.own, cost.own, flops=cost.flops, bytes=cost.bytes, track=number))
    return OpTable(rows, span, 1, list(range(len(rows))))


def answer(reader: QueryReader, costs: list[Cost], span: int = 1_000_000) -> Roofs:
    return roofs_of(reader, table_of(costs, span), PEAKS, STEP)


COSTS = st.builds(
    Cost, st.sampled_from(CATEGORIES), st.integers(0, 10_000), st.integers(0, 12_000), st.integers(0, 1_200)
)


@given(costs=st.lists(COSTS, max_size=12), rest=st.integers(0, 5_000))
@settings(max_examples=examples(300), deadline=None)
def test_the_worst_of_the_great_ones(reader: QueryReader, costs: list[Cost], rest: int) -> None:
    span = sum(cost.own for cost in costs) + rest
    result = answer(reader, costs, span)
    computing = [cost for cost in costs if cost.category in ARE_COMPUTATION and cost.own]
    assert result.share == pytest.approx(max((cost.own for cost in computing), default=0) / span if span else 0.0)
    slow = [cost.own - cost.least_ps for cost in computing if 0 < 4 * cost.least_ps < cost.own and 5 * cost.own >= span]
    assert (result.slow is None) == (not slow)
    if result.slow is not None:
        assert result.loss == pytest.approx(max(slow) / span * STEP)
        assert 0 < result.reached < 0.25
        assert result.loss <= STEP
        assert result.slow.own - max(result.slow.flops, 10 * result.slow.bytes) == max(slow)


def test_the_roof_that_is_higher_counts(reader: QueryReader) -> None:
    assert answer(reader, [Cost("loop fusion", 900_000, flops=1_000, bytes=80_000)]).slow is None  # 800,000 ps of bytes
    result = answer(reader, [Cost("loop fusion", 900_000, flops=90_000, bytes=100)])
    assert result.reached == pytest.approx(0.1)
    assert result.loss == pytest.approx(0.81 * STEP)


def test_what_tells_no_costs_is_not_slow(reader: QueryReader) -> None:
    result = answer(reader, [Cost("loop fusion", 900_000)])
    assert result.slow is None
    assert result.greatest is not None
    assert result.share == pytest.approx(0.9)
    unknown = roofs_of(reader, table_of([Cost("loop fusion", 900_000, flops=10)], 1_000_000), Peaks(), STEP)
    assert unknown.slow is None


def test_tables_without_operations_or_time(reader: QueryReader) -> None:
    assert answer(reader, []) == Roofs(None, 0.0)
    assert answer(reader, [Cost("loop fusion", 10)], span=0) == Roofs(None, 0.0)
