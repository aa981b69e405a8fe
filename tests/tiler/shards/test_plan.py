"""The plan of a run of shards: one axis for what fits on it, as a run in one piece has it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from tests.pods import write_pod
from tilescope.tiler.columns import Span
from tilescope.tiler.errors import TraceError
from tilescope.tiler.indexing import build_store
from tilescope.tiler.indexing.reading.axis import RunAxis
from tilescope.tiler.indexing.reading.timeline import FileTimes, Timeline
from tilescope.tiler.shards.plan import lies_on, make_plan
from tilescope.tiler.shards.survey import Survey
from tilescope.tiler.store.version import STORE_VERSION

DAY_NS = 86_400 * 10**9
YEAR_NS = 365 * DAY_NS

Names = list[tuple[str, str]]


def survey(first_ns: int, length_ns: int, names: Names, *, any_ps: bool = True, events: int = 10) -> Survey:
    last_ns = str(first_ns + length_ns)
    return Survey(STORE_VERSION, [], str(first_ns), last_ns, 7 if any_ps else 0, any_ps, False, False, events, names)


SURVEYS = st.lists(
    st.builds(
        survey,
        st.integers(0, DAY_NS),
        st.integers(0, DAY_NS),
        st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from(["", "x"])), max_size=5, unique=True),
        any_ps=st.booleans(),
    ),
    min_size=1,
    max_size=5,
)


@given(SURVEYS, st.integers(1, 4))
def test_the_axis_is_that_of_one_piece_and_grows_by_names_alone(surveys: list[Survey], first: int) -> None:
    by_name = {str(number): each for number, each in enumerate(surveys)}
    plan = make_plan(by_name, None)
    assert not plan.apart
    expected = Timeline.from_files([FileTimes(each.span, 0, lambda: ()) for each in surveys])
    assert plan.axis.timeline == expected
    assert {*plan.axis.names} == {name for each in surveys for name in each.names}
    assert len({*plan.axis.names}) == len(plan.axis.names)
    early = make_plan(dict(list(by_name.items())[:first]), None)
    later = make_plan(by_name, early.axis)
    assert structs.replace(later.axis, names=early.axis.names) == early.axis
    assert later.axis.names[: len(early.axis.names)] == early.axis.names
    assert later.apart == {name for name, each in by_name.items() if not lies_on(early.axis.timeline, each)}


def test_a_host_years_away_has_its_own_axis() -> None:
    near = {str(k): survey(YEAR_NS + k, 1000, [("a", "")]) for k in range(3)}
    plan = make_plan({**near, "far": survey(99 * YEAR_NS, 1000, [("b", "")], events=5)}, None)
    assert plan.apart == {"far"}
    assert plan.axis.names == [("a", "")]
    assert plan.axis.timeline == make_plan(near, None).axis.timeline


def test_hosts_without_events() -> None:
    empty = structs.replace(survey(0, 0, []), first_ns=None, events=0)
    assert make_plan({"0": empty}, None).axis.timeline.end == 0
    other = survey(5, 100, [])
    assert make_plan({"0": empty, "1": other}, None).axis.timeline == make_plan({"1": other}, None).axis.timeline


def test_windowed_hosts_are_apart() -> None:
    wild = structs.replace(survey(0, 100, []), is_windowed=True)
    assert make_plan({"0": wild, "1": survey(5, 100, [])}, None).apart == {"0"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"end": 5}, "has events beyond the time axis of its run"),
        ({"origin_ns": 1 << 62}, "has events beyond the time axis of its run"),
        ({"names": []}, "has a name that its run does not have: "),
    ],
)
def test_an_axis_that_does_not_hold_its_file(tmp_path: Path, changes: dict[str, object], message: str) -> None:
    (file,) = write_pod(tmp_path / "pod", hosts=1, events=200)
    axis = RunAxis("0" * 24, 0, 1000, 1 << 61, False, [(f"name {k}", "") for k in range(10_000)])
    with pytest.raises(TraceError, match=message):
        build_store([file], tmp_path / "store", axis=structs.replace(axis, **changes))
    assert not (tmp_path / "store").exists()


def test_spans_keep_their_picoseconds() -> None:
    assert survey(3, 4, []).span == Span(3, 7, 7, True)
