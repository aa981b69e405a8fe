"""Questions from texts, JSON and Python values."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.errors import UsageError
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.tools import Tracks, from_json, from_text, from_values, to_json, to_text
from tilescope.tiler.tools.find import FindQuestion
from tilescope.tiler.tools.stats import StatsQuestion
from tilescope.tiler.tools.step_range import StepRange

TICKS = st.none() | st.integers(-(2**63), 2**63 - 1)
QUESTIONS = st.builds(
    FindQuestion,
    start=TICKS,
    end=TICKS,
    tracks=st.none() | st.builds(Tracks.from_numbers, st.lists(st.integers(0, 300), max_size=50)),
    steps=st.none()
    | st.tuples(st.integers(0, 9), st.integers(9, 10**18 - 1)).map(lambda pair: StepRange.from_bounds(*pair)),
    step_name=st.none() | st.text(min_size=1, max_size=256),
    text=st.text(min_size=1, max_size=256),
    match=st.sampled_from(["contains", "exact"]),
    limit=st.integers(0, 10_000),
    after=st.none() | st.just("1,2,3"),
)


@given(QUESTIONS)
def test_a_question_comes_back_from_its_texts_and_its_json(question: FindQuestion) -> None:
    assert from_text(FindQuestion, to_text(question)) == question
    assert from_json(FindQuestion, to_json(question)) == question


@given(st.lists(st.integers(0, 5000)))
def test_tracks_come_back_from_their_text(tracks: list[int]) -> None:
    found = Tracks.from_numbers(tracks)
    assert found == tuple(sorted(set(tracks)))
    text = found.text()
    if len(text) <= 2000:
        assert Tracks.parse(text) == found


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"limit": "x"}, "limit: expected an integer, not 'x'"),
        ({"limit": "-1"}, "limit: expected an integer of at least 0, not '-1'"),
        ({"limit": "65537"}, "limit: expected an integer of at most 65536"),
        ({"start": "1.5"}, "start: expected an integer, not '1.5'"),
        ({"start": "1e3"}, "start: expected an integer, not '1e3'"),
        ({"start": "٣"}, "start: expected an integer, not '٣'"),
        ({"start": "null"}, "start: expected an integer, not 'null'"),
        ({"then": "null"}, "then: 'null' is no value: leave the parameter out"),
        ({"tracks": "NULL"}, "tracks: 'NULL' is no value: leave the parameter out"),
        ({"start": str(2**63)}, "start: expected an integer of at most 9223372036854775807"),
        ({"step_name": ""}, "step_name: expected a text that is not empty"),
        ({"step_name": "x" * 1000}, "step_name: expected a text of at most 256 characters"),
        ({"by": "x"}, "by: there is no 'x': choose from argument, category, host, name, process, track"),
        ({"tracks": "3-1"}, "tracks are named in ascending ranges, at most 65,536 of them"),
        ({"tracks": "1-"}, "tracks are numbers and ranges, as in 1,5,8-12, not '1-'"),
        ({"tracks": "0-99999"}, "tracks are named in ascending ranges, at most 65,536 of them"),
        ({"tracks": "1," * 1500}, "tracks are named in at most 2,000 characters"),
        (
            {"spam": "1"},
            "there is no parameter 'spam': there are start, end, tracks, steps, step_name, outliers, by, then, "
            "argument, sum, limit",
        ),
    ],
)
def test_what_makes_no_sense_names_the_field(values: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError) as error:
        from_text(StatsQuestion, values)
    assert str(error.value).startswith(message)


def test_the_form_of_a_text_is_said_in_words() -> None:
    with pytest.raises(UsageError, match=r"^after: expected start,track,ordinal, as in 8123,4,17, not 'x'$"):
        from_text(FindQuestion, {"text": "x", "after": "x"})


def test_what_is_missing_is_named() -> None:
    with pytest.raises(UsageError, match="missing required field text"):
        from_text(FindQuestion, {})


@pytest.mark.parametrize("data", [b"[]", b"{", b"nan", b"\xff", b'{"start": 1.5}', b'{"start": NaN}', b"[" * 10_000])
def test_json_that_is_no_question(data: bytes) -> None:
    with pytest.raises(UsageError):
        from_json(StatsQuestion, data)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner), max_leaves=4))
def test_any_json_is_a_question_or_refused(value: Any) -> None:
    for name in FindQuestion.field_names():
        with suppress(UsageError):
            question = from_json(FindQuestion, json.dumps({"text": "x", name: value}).encode())
            assert from_json(FindQuestion, to_json(question)) == question


def test_values_of_python() -> None:
    assert from_values(StatsQuestion, {"tracks": [3, 1, 3], "start": 5, "end": None}) == StatsQuestion(
        tracks=Tracks((1, 3)), start=5
    )
    with pytest.raises(UsageError, match=r"start: 0\.1 is a float"):
        from_values(StatsQuestion, {"start": 0.1})
    with pytest.raises(UsageError, match=r"start: 0\.1 is a float"):
        from_json(StatsQuestion, b'{"start": 0.1}')
    with pytest.raises(UsageError, match="track numbers are integers from 0"):
        from_values(StatsQuestion, {"tracks": [-1]})


def test_spans() -> None:
    assert StatsQuestion().span == TickRange(0, TICK_LIMIT)
    assert StatsQuestion(start=-5, end=2**62).span == TickRange(0, TICK_LIMIT)
    assert StatsQuestion(start=-5, end=-2).span == TickRange(0, 0)
    assert StatsQuestion(start=7, end=7).span == TickRange(7, 7)
    with pytest.raises(UsageError, match="this tool does not support steps"):
        _ = StatsQuestion(steps=StepRange.from_bounds(3, 4)).span
    with pytest.raises(UsageError, match="ticks 7 to 6 are not a span"):
        _ = StatsQuestion(start=7, end=6).span
