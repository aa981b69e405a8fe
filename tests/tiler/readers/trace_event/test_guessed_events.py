"""Events that are like one before: what is guessed of them is what a look at each of their members tells."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from tests.tiler.readers.trace_event.test_parts import assert_same

# A few kinds of events, so that most are like others. `#` stands for a value, `~` for one of few.
KINDS = st.sampled_from(
    [
        '{"ph": "X", "cat": "~", "name": "#", "pid": #, "tid": #, "ts": #, "dur": #, "args": {"a": #, "b": "#"}}',
        '{\n  "ph": "X", "cat": "~", "name": "#", "pid": #,\n  "ts": #, "dur": #,\n  "args": {\n    "a": #\n  }\n}',
        '{"ph": "i", "s": "~", "name": "#", "pid": #, "tid": "#", "ts": #}',
        '{"name":"#","ph":"s","id":#,"pid":#,"tid":#,"ts":#,"cat":"~"}',
        '{"name":"#","cat":"~","cat":"#","ph":"f","bp":"e","id":"#","pid":#,"tid":#,"ts":"#",}',
        '{"args":{"a":#},"args":#,"ts":#,"name":"#","ph":"B","other":#,"more":[#],"tts":#}',
        '{"ph": "b", "cat": "~", "id2": {"local": #}, "name": "#", "pid": #, "ts": #}',
        '{"ph": "M", "name": "process_name", "pid": #, "args": {"name": "#"}}',
        '{"pid": #, "ts": #}',
        "{}",
    ]
)
USUAL = st.integers(0, 10**6).map(str)
VALUES = st.sampled_from(
    [
        *("0", "-7", "1.5e3", "007", "1" * 25, "true", "null", "NaN", "-Infinity", '"text"', "", " 4 ", "x", '"'),
        *('\\"', "\\u00e9", "\u00e9", "[1, 2]", '{"b": [{}]}', "]", "}", "\n", "/* */", "1, 2", '1, "c": 2'),
    ]
)
CATEGORIES = st.sampled_from(["one", "two", "", "t", "p", 'qu\\"ote', "\u00fc", "x" * 40])


@st.composite
def events(draw: st.DrawFn) -> str:
    text = draw(KINDS)
    while "~" in text:
        text = text.replace("~", draw(CATEGORIES), 1)
    while "#" in text:
        text = text.replace("#", draw(USUAL if draw(st.integers(0, 12)) else VALUES), 1)
    return text


@given(st.lists(events(), min_size=1, max_size=40), st.sampled_from([",", ",\n", "\n,,"]), st.integers(40, 2000))
@example(['{"ph": "X", "name": "a", "ts": 1, "dur": 2}'] * 9, ",", 50)
def test_guesses_change_nothing(found: list[str], between: str, block: int) -> None:
    data = ("[" + between.join(found) + "]").encode()
    assert_same(data, range(block, len(data), block))


@given(events(), st.lists(events(), max_size=4), st.data())
def test_events_that_are_cut_are_like_none(first: str, others: list[str], data: st.DataObject) -> None:
    text = ("[" + ",".join([first] * 4 + others + [first] * 3)).encode()
    assert_same(text[: data.draw(st.integers(0, len(text)))], [])


def test_files_without_two_events_alike_are_read_as_well() -> None:
    texts = [f'{{"ph": "X", "cat": "{k}", "name": "a", "ts": {k}, "dur": 1}}' for k in range(1500)]
    assert assert_same(("[" + ",".join(texts) + "]").encode(), [40_000]) == 2


def test_events_with_many_members_and_long_ones_are_read_as_well() -> None:
    many = ", ".join(f'"member {k}": {k}' for k in range(40))
    spaced = " " * 3000
    texts = [f'{{"ph": "X", "ts": {k}, {spaced}"dur": 1, {many if k % 2 else ""}}}' for k in range(30)]
    assert assert_same(("[" + ",".join(texts) + "]").encode(), [30_000]) == 2
