"""Arguments that are nested deeper than anybody reads: the event is kept, the value is cut."""

from __future__ import annotations

import json
import time

import pytest

from tests.tiler.readers.trace_event.trace_event_file import read

CUT = "[nested deeper than 256]"
MEMBERS = '"ph":"X","name":"deep","ts":1,"dur":2,"pid":1,"tid":2'
AFTER = '{"ph":"X","name":"after","ts":3,"dur":2,"pid":1,"tid":2}'


def nested(levels: int, innermost: str, opening: str = "[", closing: str = "]") -> str:
    return opening * levels + innermost + closing * levels


def depth_of(value: object) -> tuple[int, object]:
    """How many containers of one item each are inside each other, and what is in the innermost."""
    levels = 0
    while isinstance(value, list | dict):
        (value,) = value if isinstance(value, list) else value.values()
        levels += 1
    return levels, value


# An argument's value stands in `args` itself, which is the first of the 256.
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"k":', "}"), ('[ {"{\\"[":', "},,]")])
@pytest.mark.parametrize("levels", [127, 128, 129, 255, 256, 257, 600, 20_000])
def test_the_event_is_kept_and_the_value_cut(levels: int, opening: str, closing: str) -> None:
    each = opening.count("[ ") + 1  # containers a level
    deep = nested(levels, '"in"', opening, closing)
    text = f'[{{{MEMBERS},"args":{{"before":1,"deep":{deep},"after":"x"}},"tts":3}},{AFTER}]'
    result = read(text)
    assert result.names == ["deep", "after"]
    (before, deep_one, after, tts) = result.rows[0].decoded_args
    assert (before, after, tts) == (("before", 1), ("after", "x"), ("tts", 3))
    if levels * each <= 255:
        assert depth_of(deep_one[1]) == (levels * each, "in")
        assert result.summary.ignored == {}
        assert result.summary.warnings == []
    else:
        assert depth_of(deep_one[1]) == (255, CUT)
        assert result.summary.ignored == {"nested_too_deep": 1}
        assert result.summary.warnings == ["1 value nested more than 256 deep: cut there"]
    assert result.summary.counts.slices == result.summary.counts.total == 2


def test_values_side_by_side_are_cut_one_by_one() -> None:
    deep = nested(300, f'1,{{"a":"]}}"}},{nested(300, "2")}')
    text = f'[{{{MEMBERS},"args":{{"a":{deep},"b":{deep}}},"more":{deep},"flat":[1]}}]'
    args = dict(read(text).rows[0].decoded_args)
    assert [depth_of(args[name]) for name in ("a", "b", "more")] == [(255, CUT), (255, CUT), (256, CUT)]
    assert args["flat"] == [1]
    assert read(text).summary.ignored == {"nested_too_deep": 2}  # args, and "more"


def test_counters_and_ids_are_read_around_what_is_deep() -> None:
    deep = nested(400, "")
    counter = f'{{"ph":"C","name":"c","ts":1,"pid":1,"args":{{"x":{deep},"v":5}}}}'
    begin = f'{{"ph":"b","cat":"k","name":"a","ts":1,"pid":1,"id2":{{"x":{deep},"global":"7"}}}}'
    end = '{"ph":"e","cat":"k","name":"a","ts":2,"pid":1,"id2":{"global":"7"}}'
    result = read(f"[{counter},{begin},{end}]")
    assert [row.value for row in result.rows if row.value is not None and row.track.endswith("v")] == [5]
    assert result.rows[-1].key == result.rows[-2].key
    assert result.summary.ignored == {"counter_value_no_number": 1, "nested_too_deep": 2}


def test_an_event_behind_damage_is_found_by_shallow_ones_alone() -> None:
    deep = f'{{{MEMBERS},"args":{nested(600, "")}}}'
    result = read(f'[{{"name" "no colon",{MEMBERS}}},{deep},{AFTER}]')
    assert result.names == ["after"]
    assert result.summary.ignored == {"damaged_event": 1}


@pytest.mark.parametrize("opening", ["[", '{"a":', '{"ph":[', '[{"ph":'])
def test_depths_without_end_take_linear_time(opening: str) -> None:
    def seconds(levels: int) -> float:
        text = f'[{AFTER},{{"ph":"X","args":{opening * levels}'
        started = time.process_time()
        assert read(text).names == ["after"]
        return time.process_time() - started

    assert seconds(400_000) < 100 * max(seconds(20_000), 0.002)  # quadratic: 400


def test_what_is_kept_is_json() -> None:
    text = f'[{{{MEMBERS},"args":{{"deep":{nested(1000, "true", chr(123) + chr(34) + "k" + chr(34) + ":", "}")}}}}}]'
    json.loads(read(text).rows[0].args)
