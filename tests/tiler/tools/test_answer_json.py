"""Answers as JSON and back."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.errors import UsageError
from tilescope.tiler.tools import Answer, Column, Fact, Note, Series, Table, answer_json, values_of

INTEGERS = st.lists(st.none() | st.integers(-(2**70), 2**70), min_size=3, max_size=3)


@given(INTEGERS, st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=3, max_size=3))
def test_every_value_comes_back(integers: list[int | None], floats: list[float]) -> None:
    table = Table(
        "t",
        "T",
        [
            Column("n", "N", "ticks", integers, total="max"),
            Column("at", "At", "time", integers),
            Column("f", "F", "rate", floats, "1/s"),
            Column("name", "Name", "name", ["a", None, "\u202e"]),
            Column("parent", "Parent", "id", np.array([-1, 0, 0])),
            Column("open", "Open", "flag", [True, False, None]),
        ],
        parent="parent",
        totals={"n": 2**65},
        rest={"n": None},
        more="1,2,3",
    )
    answer = Answer(
        [Fact("a", "A", 2**64, "bytes"), Fact("b", "B", None, "flops", "not recorded")],
        [table],
        [
            Series("s", "S", "area", Column("x", "X", "ticks", [1, 2, 3]), [Column("y", "Y", "number", floats)]),
            Series(
                "roof",
                "Roof",
                "points",
                Column("x", "X", "number", floats),
                [Column("y", "Y", "number", floats)],
                "log",
                [Column("limit", "Limit", "number", floats)],
                Column("who", "Who", "name", ["a", None, "c"]),
            ),
        ],
        [Note("warning", "look", 2**62, None, 7)],
        is_complete=False,
        headline=Note("info", "7 is the most.", 2**62, 2**63, 7, "7.1"),
    )
    back = answer_json.decode(answer_json.encode(answer))
    assert (back.facts, back.notes, back.is_complete) == (answer.facts, answer.notes, False)
    assert back.headline == answer.headline
    for mine, read in zip(table.columns, back.table("t").columns, strict=True):
        assert replace(read, values=()) == replace(mine, values=())
        assert values_of(read) == values_of(mine)
    assert (back.table("t").totals, back.table("t").rest) == ({"n": 2**65}, {"n": None})
    assert (back.table("t").parent, back.table("t").more) == ("parent", "1,2,3")
    assert [(one.kind, one.scale) for one in back.series] == [("area", "linear"), ("points", "log")]
    area, roof = back.series
    assert values_of(area.ys[0]) == values_of(roof.lines[0]) == floats
    assert (area.lines, area.labels) == ([], None)
    assert roof.labels is not None
    assert values_of(roof.labels) == ["a", None, "c"]


def test_json_holds_no_integer_beyond_doubles_and_no_nan() -> None:
    columns = [Column("n", "N", "count", np.array([2**63 - 1])), Column("f", "F", "fraction", np.array([math.nan]))]
    value = json.loads(answer_json.encode(Answer(tables=[Table("t", "T", columns)])))
    (table,) = value["tables"]
    assert [column["values"] for column in table["columns"]] == [["9223372036854775807"], [None]]


def test_tables_are_found_by_id_and_have_columns_of_one_length() -> None:
    answer = Answer(tables=[Table("t", "T", [])])
    assert len(answer.table("t")) == 0
    with pytest.raises(UsageError, match="there is no table 'u': the answer has t"):
        answer.table("u")
    with pytest.raises(ValueError, match="columns have"):
        Table("t", "T", [Column("a", "A", "count", [1]), Column("b", "B", "count", [])])
