"""The plan of a run of shards: one axis for what fits on it, as a run in one piece has it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from tests.pods import write_pod
from tilescope.tiler._native import root_level
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
    assert not plan.own
    expected = Timeline.from_files([FileTimes(each.span, 0, lambda: ()) for each in surveys])
    assert plan.axis.timeline == expected
    assert {*plan.axis.names} == {name for each in surveys for name in each.names}
    assert len({*plan.axis.names}) == len(plan.axis.names)
    early = make_plan(dict(list(by_name.items())[:first]), None)
    later = make_plan(by_name, early.axis)
    assert structs.replace(later.axis, names=early.axis.names) == early.axis
    assert later.axis.names[: len(early.axis.names)] == early.axis.names
    apart = {name for name, each in by_name.items() if not lies_on(early.axis.timeline, each)}
    assert later.own.keys() | later.too_long == apart
    assert not later.own.keys() & later.too_long
    for name, own in later.own.items():
        _is_on_the_grid(early.axis, own.axis(later.axis), by_name[name])


def _is_on_the_grid(run: RunAxis, own: RunAxis, survey: Survey) -> None:
    """Asserts that a shard has the ticks and tiles of the run, and all of its events."""
    assert own.id != run.id
    assert own.tick_ps == run.tick_ps
    assert root_level(own.end) == root_level(run.end)
    assert survey.span.first_ns is not None
    assert own.origin_ns <= survey.span.first_ns
    last_ps = (survey.span.last_ns - own.origin_ns) * 1000 + survey.span.last_ps
    assert last_ps // own.tick_ps <= own.end


def test_a_host_years_away_has_its_own_axis() -> None:
    near = {str(k): survey(YEAR_NS + k, 1000, [("a", "")]) for k in range(3)}
    plan = make_plan({**near, "far": survey(99 * YEAR_NS, 1000, [("b", "")], events=5)}, None)
    assert plan.own.keys() == {"far"}
    assert not plan.too_long
    assert plan.axis.names == [("a", ""), ("b", "")]
    assert plan.axis.timeline == make_plan(near, None).axis.timeline
    own = plan.own["far"]
    assert (int(own.away_ns), int(own.shift_ps)) == (98 * YEAR_NS, 0)
    assert own.note("far", plan.axis) == (
        "far begins 97.9 years after the run: its times are counted from there; it has no time in common with the run, "
        "and is drawn from the beginning of it (see `tilescope shift`)"
    )


def test_hosts_of_many_years_that_are_centuries_apart() -> None:
    """Each is longer than half of an axis of nanoseconds, so that none is sure to lie on one with others."""
    long = {str(k): survey(300 * k * YEAR_NS, 40 * YEAR_NS, [(f"n{k}", "")]) for k in range(3)}
    plan = make_plan(long, None)
    assert plan.axis.timeline.end == 40 * YEAR_NS
    assert plan.own.keys() == {"1", "2"}
    assert not plan.too_long
    assert len(plan.axis.names) == 3


@pytest.mark.parametrize(
    ("first_ns", "length_ns", "away_ns", "shift_ps", "note"),
    [
        (-200, 900, -200, -200_000, "late begins 200 ns before the run: its times are counted from there, and it is"),
        (-DAY_NS, 900, -DAY_NS, 0, "late begins 1.00 d before the run: its times are counted from there; it has no"),
        (DAY_NS, 900, DAY_NS, 0, "late begins 1.00 d after the run: its times are counted from there; it has no"),
        (1800, 900, 0, 0, "late ends 700 ns after the run as it was indexed first: what is open at its end ends there"),
        (
            900,
            4000,
            900,
            900_000,
            "late begins 900 ns after the run: its times are counted from there, and it is drawn",
        ),
    ],
)
def test_a_file_that_comes_late(first_ns: int, length_ns: int, away_ns: int, shift_ps: int, note: str) -> None:
    early = make_plan({"0": survey(YEAR_NS, 2000, [])}, None).axis
    late = survey(YEAR_NS + first_ns, length_ns, [("late", "")])
    plan = make_plan({"0": survey(YEAR_NS, 2000, []), "late": late}, early)
    own = plan.own["late"]
    assert (int(own.away_ns), int(own.shift_ps)) == (away_ns, shift_ps)
    assert (own.note("late", plan.axis) or "").startswith(note)
    _is_on_the_grid(early, own.axis(plan.axis), late)


def test_a_file_that_is_too_long_for_the_tiles() -> None:
    early = make_plan({"0": survey(YEAR_NS, 2000, [])}, None).axis
    plan = make_plan({"0": survey(YEAR_NS, 5000, [("late", "")])}, early)
    assert plan.too_long == {"0"}
    assert not plan.own
    assert not plan.axis.names
    assert plan.axis_of("0") is None


def test_a_late_file_in_picoseconds_is_rounded() -> None:
    early = make_plan({"0": survey(YEAR_NS, 1000, [], any_ps=False)}, None).axis
    assert early.tick_ps == 1000
    plan = make_plan({"late": survey(YEAR_NS + 5, 100, [])}, early)
    own = plan.own["late"]
    assert own.rounds
    assert not own.is_moved
    assert own.note("late", plan.axis) is None
    _is_on_the_grid(early, own.axis(plan.axis), survey(YEAR_NS + 5, 100, []))


def test_hosts_without_events() -> None:
    empty = structs.replace(survey(0, 0, []), first_ns=None, events=0)
    assert make_plan({"0": empty}, None).axis.timeline.end == 0
    other = survey(5, 100, [])
    assert make_plan({"0": empty, "1": other}, None).axis.timeline == make_plan({"1": other}, None).axis.timeline


def test_windowed_hosts_are_apart() -> None:
    wild = structs.replace(survey(0, 100, []), is_windowed=True)
    plan = make_plan({"0": wild, "1": survey(5, 100, [])}, None)
    assert plan.own.keys() == {"0"}
    assert plan.own["0"].axis(plan.axis).is_windowed
    alone = make_plan({"0": wild}, None)
    assert alone.own.keys() == {"0"}


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
