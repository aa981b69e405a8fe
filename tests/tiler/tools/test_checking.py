"""What is no answer, and where that is said to be."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tilescope.tiler.tools import Answer, Column, Fact, Note, Series, Table, answer_json, answer_size
from tilescope.tiler.tools.checking import check
from tilescope.tiler.words import Words

NUMBERS = Column("n", "N", "count", np.arange(3))
PARENTS = Column("p", "P", "id", [1, -1])


def of(kind: Any, values: Any) -> Answer:
    return Answer(tables=[Table("t", "T", [Column("c", "C", kind, values)])])


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("count", [1, None, 2**70, np.int64(3)]),
        ("ticks", np.array([1, 2], np.uint64)),
        ("time", [-(2**63), None]),
        ("bytes", np.array([2**70, 1], object)),
        ("id", [0, None, np.int32(5)]),
        ("fraction", [0.5, 1, None, float("nan"), np.float32(2)]),
        ("rate", np.array([1, 2])),
        ("flag", [True, None, np.True_]),
        ("flag", np.array([True, False])),
        ("text", ["a", None]),
        ("name", np.array(["a", "\u202e"])),
        ("event", ["1.17", None]),
        ("span", ["0-5"]),
    ],
)
def test_what_may_stand_in_a_column(kind: Any, values: Any) -> None:
    answer = of(kind, values)
    check(answer)
    read = answer_json.decode(answer_json.encode(answer))
    assert len(read.table("t")) == len(values)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({}, "the answer is of type dict, not Answer"),
        (Answer(["x"]), "a fact is of type str, not Fact"),  # type: ignore[list-item]
        (Answer([Fact("a b", "A", 1, "count")]), "'a b' is no id"),
        (Answer([Fact("a", "A", 1, "count")] * 2), "there are two of the id 'a'"),
        (Answer([Fact("a", "A", 1.5, "count")]), "a value of type float is none of kind 'count'"),
        (Answer([Fact("a", "A", 1, "spam")]), "'spam' is no kind: there are text, name"),  # type: ignore[arg-type]
        (of("count", [True]), "table 't': column 'c': a value of type bool is none of kind 'count'"),
        (of("count", np.array([0.5])), "an array of float64 holds no values of kind 'count'"),
        (of("count", np.zeros((1, 1), int)), "an array of 2 dimensions is no column"),
        (of("track", [2**53]), "is too large for an id"),
        (of("id", np.array([-(2**53)])), "is too large for an id"),
        (of("fraction", ["0.5"]), "a value of type str is none of kind 'fraction'"),
        (of("flag", [1]), "a value of type int is none of kind 'flag'"),
        (of("text", [b"x"]), "a value of type bytes is none of kind 'text'"),
        (of("name", ["\ud800"]), "is no text: it holds half a character"),
        (of("event", ["7"]), "'7' is no event"),
        (of("span", ["x-y"]), "'x-y' is no span"),
        (Answer(tables=[Table("t", "T", [NUMBERS], totals={"x": 1})]), "totals has 'x', which is not a column"),
        (Answer(tables=[Table("t", "T", [NUMBERS], rest={"n": "x"})]), "the total of 'n': a value of type str"),
        (Answer(tables=[Table("t", "T", [NUMBERS], parent="n")]), "the parent 'n' is no column of row numbers"),
        (Answer(tables=[Table("t", "T", [PARENTS], parent="p")]), "row 0 has the parent 1: parents stand before"),
        (Answer(series=[Series("s", "S", "pie", NUMBERS, [])]), "it is of kind 'pie'"),  # type: ignore[arg-type]
        (
            Answer(series=[Series("s", "S", "line", NUMBERS, [], "sqrt")]),  # type: ignore[arg-type]
            "its scale is 'sqrt'",
        ),
        (
            Answer(series=[Series("s", "S", "line", NUMBERS, [], lines=[Column("y", "Y", "rate", [1.0])])]),
            "series 's': 'y' has 1 values for 3 of x",
        ),
        (
            Answer(series=[Series("s", "S", "line", NUMBERS, [], labels=Column("who", "Who", "name", ["a"]))]),
            "series 's': 'who' has 1 values for 3 of x",
        ),
        (
            Answer(series=[Series("s", "S", "line", NUMBERS, [Column("y", "Y", "rate", [1.0])])]),
            "series 's': 'y' has 1 values for 3 of x",
        ),
        (
            Answer(tables=[Table("t", "T", [replace(NUMBERS, total="mean")])]),  # type: ignore[arg-type]
            "its total is 'mean': there are sum, max, min",
        ),
        (Answer(notes=[Note("loud", "x")]), "a note is of severity 'loud'"),  # type: ignore[arg-type]
        (Answer(notes=[Note("info", "x", start=0.5)]), "a value of type float"),  # type: ignore[arg-type]
        (Answer(is_complete=None), "is_complete is of type NoneType"),  # type: ignore[arg-type]
    ],
)
def test_what_may_not(answer: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError)) as error:
        check(answer)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            of("count", np.zeros(11, np.int8)),
            "the answer has 11 values, the limit is 10: give parts of it, with `more`",
        ),
        (of("text", ["x" * 21]), "the answer has 21 characters of texts, the limit is 20"),
        (of("text", Words(np.zeros(1, np.int32), ["x" * 21])), "21 characters of texts"),
        (of("text", np.array(["x" * 7] * 3)), "21 characters of texts"),
        (of("text", np.array(["x" * 21], object)), "21 characters of texts"),
        (
            Answer(
                series=[
                    Series("s", "S", "line", Column("x", "X", "count", [0] * 6), [Column("y", "Y", "rate", [0.0] * 6)])
                ]
            ),
            "the answer has 12 values",
        ),
    ],
)
def test_how_large_an_answer_may_be(answer: Answer, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check(answer)
    monkeypatch.setattr(answer_size, "MOST_VALUES", 10)
    monkeypatch.setattr(answer_size, "MOST_CHARACTERS", 20)
    with pytest.raises(ValueError, match=r"the answer has") as error:
        check(answer)
    assert message in str(error.value)
