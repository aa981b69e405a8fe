"""Events whose texts hold quotes that are not escaped are read all the same; nothing else is read in another way."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiler.readers.trace_event.trace_event_file import array, event, read

A, B = event(name="a"), event(name="b")
REST = '"ph":"X","pid":1,"tid":2,"ts":5,"dur":1'

# Without backslashes, and without what looks like the end of a string, or like a key.
PLAIN = st.text(st.characters(exclude_characters='\\":,{}[]', exclude_categories=["Cs", "Cc"]), min_size=1, max_size=6)
QUOTED = st.lists(PLAIN, min_size=2, max_size=5).map('"'.join)


@given(name=QUOTED, category=st.none() | QUOTED, argument=st.none() | QUOTED)
def test_texts_with_quotes_are_read_as_they_stand(name: str, category: str | None, argument: str | None) -> None:
    members = [f'"name":"{name}"', REST]
    members += [] if category is None else [f'"cat":"{category}"']
    members += [] if argument is None else [f'"args":{{"text":"{argument}","more":1}}']
    result = read(array(A, "{" + ", ".join(members) + "}", B))
    assert result.names == ["a", name, "b"]
    assert result.summary.ignored == {"unescaped_quotes": 1}
    arguments = dict(result.rows[1].decoded_args)
    assert arguments["[repaired]"]
    assert arguments.get("text") == argument
    assert result.rows[1].time_ps == 5_000_000


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ('{"name":"say "hi"",' + REST + "}", 'say "hi"'),
        ('{"name":"a"b",' + REST + "}", 'a"b'),
        ('{"name":"f("a", "b")",' + REST + "}", 'f("a", "b")'),
        ('{"name":"two\nlines "of" text",' + REST + "}", 'two\nlines "of" text'),
        ('{"name":"escaped \\" and "not"",' + REST + "}", 'escaped " and "not"'),
        ("{" + REST + ', "name": "the last "member""}', 'the last "member"'),
        ("{" + REST + ', "name": "a", "args": {"list": ["x"y", 1]}}', "a"),
    ],
)
@pytest.mark.parametrize("between", [",", ",\n", "\n"])
def test_what_was_meant(written: str, name: str, between: str) -> None:
    result = read("[" + between.join([A, written, B]) + "]")
    assert result.names == ["a", name, "b"]
    assert result.summary.ignored == {"unescaped_quotes": 1}
    assert result.summary.counts.total == 3


@pytest.mark.parametrize(
    "damaged",
    [
        '{"name":"torn "off' + "",
        '{"name":"torn "off", "ph":"X',
        '{"name":"a"b" ' + REST + "}",
        '{"na"me":"a",' + REST + "}",
        '{"name":"no "time"","ph":"X"}',
    ],
)
def test_others_are_skipped(damaged: str) -> None:
    result = read("[" + ",\n".join([A, damaged, B]) + "]")
    assert result.names == ["a", "b"]
    assert sum(result.summary.ignored.values()) == 1


@given(texts=st.lists(st.text(max_size=12), min_size=3, max_size=3))
def test_json_is_read_as_before(texts: list[str]) -> None:
    name, category, argument = texts
    written = json.dumps({"name": name, "cat": category, "args": {"text": argument}})
    result = read(array(A, written[:-1] + "," + REST + "}", B))
    assert "unescaped_quotes" not in result.summary.ignored
    assert len(result.names) == 3


def test_a_text_that_never_ends_costs_no_more_than_its_length() -> None:
    def seconds(pairs: int) -> float:
        begin = time.process_time()
        result = read(array(A, '{"name":"' + 'x"y ' * pairs, *[B] * 3))
        assert sum(result.summary.ignored.values()) >= 1
        return time.process_time() - begin

    seconds(1000)
    assert seconds(200_000) < 40 * max(seconds(20_000), 0.01)
