"""Operations that reach little of the peaks of their device, against a plain reference."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.tiler.facts.findings.answers import reading
from tests.tiler.json_traces import write_trace
from tilescope.tiler.facts.findings import Cause
from tilescope.tiler.facts.findings.leads import operation_leads
from tilescope.tiler.facts.findings.roofs import Roofs, roofs_of
from tilescope.tiler.facts.findings.sentences import slow_detail
from tilescope.tiler.facts.operations import Operation
from tilescope.tiler.facts.operations.operation import OperationMetadata
from tilescope.tiler.facts.operations.operation_table import OpTable
from tilescope.tiler.facts.operations.rates import Peaks
from tilescope.tiler.query import QueryReader, finish

PEAKS = Peaks(flops=1e12, hbm=1e11)  # 1 FLOP, and a tenth of a byte, in a ps
STEP = 1_000

CATEGORIES = ("loop fusion", "convolution", "convolution fusion", "output fusion", "all-reduce", "copy-done", "infeed")
ARE_PRODUCTS = CATEGORIES[1:4]
ARE_COMPUTATION = CATEGORIES[:4]

# A batch of 16 and 3 features in tiles of 8 and 128; all of the lanes; half of them; of text that is no shape nothing.
SHAPES = {
    "f32[4,3,16]{2,1,0:T(8,128)}": 1 - 3 * 16 / (8 * 128),
    "f32[4,8,128]{2,1,0:T(8,128)}": 0.0,
    "f32[4,8,64]{2,1,0:T(8,128)}": 0.5,
    "": 0.0,
}
PADDED = next(iter(SHAPES))


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
    shape: str = ""

    @property
    def least_ps(self) -> float:
        """Time in which its costs could be done."""
        return max(self.flops, 10 * self.bytes)

    @property
    def verdict(self) -> tuple[Cause, float] | None:
        """The cause for which it reaches little, and the ps that this costs."""
        compute, memory, padding = self.flops, 10 * self.bytes, SHAPES[self.shape]
        if self.category in ARE_PRODUCTS and 0 < 4 * compute < self.own:
            if 2 * memory >= self.own:
                return Cause.MEMORY_BOUND, min(memory, self.own) - compute
            if padding > 0.5:
                return Cause.PADDING, min(padding * self.own, self.own - self.least_ps)
        if 0 < 4 * self.least_ps < self.own:
            return Cause.INEFFICIENT_OP, self.own - self.least_ps
        return None


def table_of(costs: list[Cost], span: int) -> OpTable:
    rows = []
    for number, cost in enumerate(costs):
        per_run = cost.flops or None, cost.flops or None, cost.bytes or None
        name = f"op.{number}"
        metadata = OperationMetadata("7", number, name, "", cost.category, "", *per_run, (), "", "", cost.shape, "")
        rows.append(Operation(metadata, 1, cost.own, cost.own, flops=cost.flops, bytes=cost.bytes, track=0))
    return OpTable(rows, span, 1, list(range(len(rows))))


def answer(reader: QueryReader, costs: list[Cost], span: int = 1_000_000) -> Roofs:
    return finish(roofs_of(reader, table_of(costs, span), PEAKS, STEP))


COSTS = st.builds(
    Cost,
    st.sampled_from(CATEGORIES),
    st.integers(0, 10_000),
    st.integers(0, 12_000),
    st.integers(0, 1_200),
    st.sampled_from(list(SHAPES)),
)


@given(costs=st.lists(COSTS, max_size=8), rest=st.integers(0, 5_000))
@settings(max_examples=examples(300), deadline=None)
def test_the_worst_of_the_great_ones_by_cause(reader: QueryReader, costs: list[Cost], rest: int) -> None:
    span = sum(cost.own for cost in costs) + rest
    result = answer(reader, costs, span)
    computing = [cost for cost in costs if cost.category in ARE_COMPUTATION and cost.own]
    assert result.share == pytest.approx(max((cost.own for cost in computing), default=0) / span if span else 0.0)
    worst: dict[Cause, float] = {}
    for cost in computing:
        if cost.verdict is not None and 5 * cost.own >= span:
            cause, lost = cost.verdict
            worst[cause] = max(worst.get(cause, 0.0), lost)
    assert {slow.cause: slow.loss for slow in result.slow} == pytest.approx(
        {cause: lost / span * STEP for cause, lost in worst.items()}
    )
    assert sum(slow.loss for slow in result.slow) <= STEP + 1e-6
    assert all(slow.operation.own * 5 >= span for slow in result.slow)


def test_the_roof_that_is_higher_counts(reader: QueryReader) -> None:
    assert not answer(reader, [Cost("loop fusion", 900_000, flops=1_000, bytes=80_000)]).slow  # 800,000 ps of bytes
    (slow,) = answer(reader, [Cost("loop fusion", 900_000, flops=90_000, bytes=100)]).slow
    assert slow.reached == pytest.approx(0.1)
    assert slow.loss == pytest.approx(0.81 * STEP)


def test_padding_of_a_product_is_a_cause_of_its_own(reader: QueryReader) -> None:
    (slow,) = answer(reader, [Cost("convolution", 900_000, flops=27_000, shape=PADDED)]).slow
    assert slow.cause is Cause.PADDING
    assert slow.padding == pytest.approx(0.953, abs=0.001)
    assert slow.loss == pytest.approx(0.9 * 0.953 * STEP, rel=0.001)
    assert slow_detail(slow) == (
        "5 % of the matrix unit is used: 3 padded to 8 × 16 padded to 128 (of the result alone), "
        "its costs allow 3 % of its time"
    )
    (vector,) = answer(reader, [Cost("loop fusion", 900_000, flops=27_000, shape=PADDED)]).slow
    assert vector.cause is Cause.INEFFICIENT_OP


def test_memory_bounds_products_alone(reader: QueryReader) -> None:
    (slow,) = answer(reader, [Cost("output fusion", 900_000, flops=90_000, bytes=72_000)]).slow
    assert slow.cause is Cause.MEMORY_BOUND
    assert slow.loss == pytest.approx(0.63 * STEP)
    assert slow_detail(slow) == "its bytes need 80 % of its time at the peak, its FLOPs 10 %"
    assert not answer(reader, [Cost("loop fusion", 900_000, flops=90_000, bytes=72_000)]).slow
    assert not answer(reader, [Cost("output fusion", 900_000, flops=300_000, bytes=72_000)]).slow


def test_leads_by_what_an_operation_is(reader: QueryReader) -> None:
    def leads(device: str, cost: Cost) -> str:
        (slow,) = answer(reader, [cost]).slow
        return " ".join(lead.text for lead in operation_leads(slow, device))

    vector = Cost("loop fusion", 900_000, flops=90)
    assert "vector and scalar units" in leads("TPU v6 Lite", vector)
    assert leads("NVIDIA H100", vector) == ""
    assert leads("TPU v6 Lite", Cost("convolution", 900_000, flops=90)) == ""
    assert leads("TPU v6 Lite", Cost("custom-call", 900_000, flops=90)) == ""  # a kernel of somebody may use any unit
    bound = Cost("convolution", 900_000, flops=90, bytes=72_000, shape=PADDED)
    assert leads("TPU v6 Lite", bound).startswith("95 % of its value is padding")


def test_what_tells_no_costs_is_not_slow(reader: QueryReader) -> None:
    result = answer(reader, [Cost("loop fusion", 900_000)])
    assert not result.slow
    assert result.greatest is not None
    assert result.share == pytest.approx(0.9)
    table = table_of([Cost("loop fusion", 900_000, flops=10)], 1_000_000)
    assert not finish(roofs_of(reader, table, Peaks(), STEP)).slow


def test_tables_without_operations_or_time(reader: QueryReader) -> None:
    assert answer(reader, []) == Roofs(None, 0.0)
    assert answer(reader, [Cost("loop fusion", 10)], span=0) == Roofs(None, 0.0)
