"""What an operation that runs others counts as."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.device_trace import both, ticks, union, without
from tests.tiler.windows import pairs
from tilescope.tiler.facts import busy
from tilescope.tiler.facts.work import Work
from tilescope.tiler.pages.leaf_spans import KINDS
from tilescope.tiler.windows import Windows

SPANS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 12)).map(lambda s: (s[0], s[0] + s[1])), max_size=6)


@given(computation=SPANS, communication=SPANS, copies=SPANS, control=SPANS)
def test_control_is_computation_where_nothing_else_runs(
    computation: list[tuple[int, int]],
    communication: list[tuple[int, int]],
    copies: list[tuple[int, int]],
    control: list[tuple[int, int]],
) -> None:
    kinds = [Windows.from_spans([], [])] * KINDS
    spans = {
        Work.COMPUTATION: computation,
        Work.COMMUNICATION: communication,
        Work.COPY: copies,
        Work.CONTROL: control,
    }
    for kind, of in spans.items():
        kinds[kind] = Windows.from_spans([start for start, _ in of], [stop for _, stop in of])
    found = busy._work_spans(kinds)
    c, m, y, k = map(union, spans.values())
    assert pairs(found.computation) == union(c, without(k, union(c, m, y)))
    assert (pairs(found.communication), pairs(found.copies)) == (m, y)
    assert pairs(found.any) == union(c, m, y, k)
    assert found.any.ticks == ticks(union(c, m, y, k))
    assert not both(without(k, union(c, m, y)), m)
