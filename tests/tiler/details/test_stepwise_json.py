"""What is parsed in steps is what Python's parser makes of it; and it takes no more memory than was counted."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.details.stepwise_json import must_fit, parse_json, parsed_bytes
from tilescope.tiler.errors import TooLarge
from tilescope.tiler.query import finish

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON, st.sampled_from([None, 1]))
def test_as_python_parses_it(value: Any, indent: int | None) -> None:
    assert finish(parse_json(json.dumps(value, indent=indent))) == value


@given(st.text(alphabet='[]{},:"1a\\ \n', max_size=30))
def test_what_python_refuses_is_refused(text: str) -> None:
    try:
        known = json.loads(text)
    except ValueError:
        with pytest.raises(json.JSONDecodeError):
            finish(parse_json(text))
    else:
        assert finish(parse_json(text)) == known


def test_numbers_that_are_none() -> None:
    assert finish(parse_json('[[[[NaN]]], Infinity, {"a": -Infinity}]')) == [[[[None]]], None, {"a": None}]


def test_others_have_their_turn() -> None:
    text = json.dumps({"a": {"b": [{"c": [k] * 100} for k in range(10_000)]}})
    assert sum(1 for _ in parse_json(text)) >= len(text) // (1 << 19)


@pytest.mark.parametrize(
    "content",
    [
        "[{},{},[]]",
        '[{"v":1.5},{"v":2.5}]',
        '{"core":{"aaaa":1.25,"bbbb":2.5,"cccc":"d"}}',
        "[1.5,2.5]",
        '["äöü€","b"]',
    ],
)
def test_it_takes_no_more_than_is_counted(content: str) -> None:
    text = f"[{','.join([content] * 5000)}]"
    tracemalloc.start()
    value = json.loads(text)
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert value
    assert taken / 2 < parsed_bytes(text.encode()) < taken * 4


def test_marks_in_texts_are_not_counted() -> None:
    assert parsed_bytes(b'["{[,\\"{{{\\\\"]') == parsed_bytes(b'["aaaaaaaaaa"]')
    long = json.dumps(["{,[" * 1_000_000, 5])
    assert parsed_bytes(long.encode()) < 3 * len(long)


def test_what_does_not_fit_is_refused_by_name() -> None:
    with pytest.raises(
        TooLarge, match=r"page\.json: is JSON that takes 2 MB of memory .* the limit is 1 MB .*--memory"
    ):
        must_fit(b"[" + b"{}," * 10_000 + b"{}]", "page.json", 1 << 20)
