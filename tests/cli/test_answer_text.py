"""Answers as text for people."""

from __future__ import annotations

import io
import math

import pytest

from tilescope.cli.answer_text import SHOWN_ROWS, write_text
from tilescope.tiler.tools import Answer, Column, Fact, Kind, Note, Series, Table, Value
from tilescope.tiler.tools.figure_text import Shown

SHOWN = Shown(1000, {3: "host › XLA Ops", 4: "\x1b[31mred"}.get)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("count", 1234567, "1,234,567"),
        ("count", -5, "-5"),
        ("ticks", 1500, "1.5 µs"),
        ("ticks", -1500, "-1.5 µs"),
        ("ticks", 0, "0 ps"),
        ("time", 1500, "1.5 µs"),
        ("bytes", -3_000_000, "-3.00 MB"),
        ("fraction", 0.123, "12.3 %"),
        ("flops", 2**70, "1181 E"),
        ("flops", 999, "999"),
        ("rate", 1 / 3, "0.333"),
        ("rate", math.nan, "–"),
        ("number", -12345.6, "-12.3 k"),
        ("flag", False, "no"),
        ("track", 3, "3 host › XLA Ops"),
        ("track", 4, "4 \\x1b[31mred"),
        ("id", 7, "7"),
        ("name", "a\nb", "a\\nb"),
        ("text", None, "–"),
        ("span", "2000-5000", "2 µs + 3 µs"),
    ],
)
def test_figures(kind: Kind, value: Value, text: str) -> None:
    assert SHOWN.text(kind, value) == text


def written(answer: Answer, only: str | None = None) -> list[str]:
    file = io.StringIO()
    write_text(answer, only, SHOWN, file)
    return [line.rstrip() for line in file.getvalue().splitlines()]


def test_sums_stand_below_the_rows_and_empty_columns_are_left_out() -> None:
    table = Table(
        "t",
        "Names",
        [
            Column("id", "Id", "id", [7]),
            Column("name", "Name", "name", ["[bold]dot"]),
            Column("category", "Category", "text", [""]),
            Column("rate", "Rate", "rate", [2500.0], "1/s"),
            Column("busy", "Busy", "ticks", [2000]),
        ],
        totals={"busy": 5000},
        rest={"busy": 3000},
    )
    lines = written(Answer(tables=[table]))
    assert lines[1] == "Names"
    assert lines[2].split() == ["Name", "Rate", "[1/s]", "Busy"]
    assert [line.split() for line in lines[4:] if line] == [
        ["[bold]dot", "2.50", "k", "2", "µs"],
        ["not", "listed", "3", "µs"],
        ["all", "5", "µs"],
    ]


def test_figures_are_never_cut_and_columns_that_do_not_fit_are_named() -> None:
    """Before, all columns were squeezed until figures lost their units, and names all of their letters."""
    name = Column("name", "Name", "name", ["a name of a kernel that is much too long for one line of a table"])
    figures = [Column(f"f{k}", f"A long title {k}", "ticks", [123_456_789]) for k in range(9)]
    lines = written(Answer(tables=[Table("t", "Wide", [name, *figures])]))
    assert max(map(len, lines)) <= 120
    shown = " ".join(lines).split("not shown:")[0]
    n = shown.count("123.457 ms")
    assert 5 < n < 9
    left_out = ", ".join(f"A long title {k}" for k in range(n, 9))
    assert f"  not shown: {left_out}: --format json or csv has all" in lines
    assert "a name of a kernel that" in shown


def test_a_row_without_a_name_is_said_to_have_none() -> None:
    """Before, it looked as if it were the sum of others, or its column was left out."""
    empty = [Column("category", "Category", "text", [""]), Column("note", "Note", "text", [""])]
    lines = written(Answer(tables=[Table("t", "T", [*empty, Column("n", "N", "count", [3])])]))
    assert [line.split() for line in (lines[2], lines[4])] == [["Category", "N"], ["(none)", "3"]]


def test_a_tree_is_indented() -> None:
    parents, names = Column("up", "Up", "id", [-1, 0, 1, 0]), Column("name", "Name", "name", ["a", "b", "c", "d"])
    lines = written(Answer(tables=[Table("t", "T", [parents, names], parent="up")]))
    assert lines[-4:] == [" a", "   b", "     c", "   d"]


def test_what_is_not_shown_is_said() -> None:
    numbers = Column("n", "N", "count", list(range(SHOWN_ROWS + 1234)))
    answer = Answer(
        [Fact("f", "Power", None, "rate", "record it\x07")],
        [Table("t", "T", [numbers], more="1,2,3"), Table("none", "Nothing here", [Column("n", "N", "count", [])])],
        [Series("s", "Ramp", "line", numbers, [numbers])],
        [Note("warning", "look\nthere", 0, 5000)],
        is_complete=False,
    )
    lines = written(answer)
    assert lines[0] == "Power  –  record it\\x07"
    assert "  1,234 more rows: --format json or csv has all" in lines
    assert "  there are more: ask on with --after 1,2,3" in lines
    assert lines[lines.index("Nothing here") + 1] == "  nothing"
    assert "Ramp: 1,274 points, to be drawn: --format json has them" in lines
    assert "warning: look\\nthere. (at 0 ps to 5 µs)" in lines
    assert lines[-1] == "the run is still being indexed: this is of the tracks that are done"
    assert written(answer, "none")[1:3] == ["Nothing here", "  nothing"]


def test_of_a_very_long_text_the_beginning_is_shown() -> None:
    file = io.StringIO()
    write_text(Answer(tables=[Table("t", "T", [Column("name", "Name", "name", ["a" * 1_000_000])])]), None, SHOWN, file)
    assert 1000 < file.getvalue().count("a") < 10_000
    assert "…" in file.getvalue()
