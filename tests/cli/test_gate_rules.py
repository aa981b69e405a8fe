"""Rules of gates: what they say, and what is refused before a run is read."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.cli.gate_rules import Bound, RowFigure, ToolFigure, parse_rule
from tilescope.tiler.errors import UsageError

RULES = {
    "steps.p50 > +3%": (ToolFigure("steps", None, "p50"), Bound(">", Fraction(3, 100), "%", is_change=True)),
    "steps.p50>=200us": (ToolFigure("steps", None, "p50"), Bound(">=", Fraction(2 * 10**8), "ps", is_change=False)),
    "stats.names.self < -1.5 ms": (
        ToolFigure("stats", "names", "self"),
        Bound("<", Fraction(-15 * 10**8), "ps", is_change=True),
    ),
    'category:"copy".share > 5%': (
        RowFigure("category", "copy", "share"),
        Bound(">", Fraction(5, 100), "%", is_change=False),
    ),
    "overview.device_idle > +2pp": (
        ToolFigure("overview", None, "device_idle"),
        Bound(">", Fraction(2, 100), "pp", is_change=True),
    ),
    "gaps.count <= 12": (ToolFigure("gaps", None, "count"), Bound("<=", Fraction(12), "", is_change=False)),
    r'name:"a \"b\" \\ > 5".count > spread': (
        RowFigure("name", r'a "b" \ > 5', "count"),
        Bound(">", None, "", is_change=False),
    ),
}


@pytest.mark.parametrize("text", RULES)
def test_a_rule_of_one_bound(text: str) -> None:
    rule = parse_rule(text)
    assert (rule.figure, *rule.bounds) == RULES[text]


def test_bounds_are_joined() -> None:
    rule = parse_rule('name:"all-reduce".total > +10% and > +1ms and > spread')
    assert [bound.amount for bound in rule.bounds] == [Fraction(1, 10), Fraction(10**9), None]
    rule = parse_rule("gaps.count > 12 and > +3")
    assert [bound.amount for bound in rule.bounds] == [12, 3]
    assert [(bound.unit, bound.is_change) for bound in rule.bounds] == [("", False), ("", True)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a figure is"),
        ("steps", "a figure is"),
        ("step.p50 > 3%", "there is no tool step .did you mean steps"),
        ("find.count > 3", "find has to be asked with text, which a rule cannot say"),
        ("steps.p50", "a bound is wanted at character 10"),
        ("steps.p50 > ", "a bound is wanted"),
        ("steps.p50 > 3parsec", "there is no unit parsec"),
        ("steps.p50 > 3% or > 2%", "joined by and, not by 'or"),
        ("steps.p50 > 3% and", "joined by and"),
        ("overview.device_idle > 2pp", "needs a sign"),
        ('nam:"x".total > 3', "not nam .did you mean name"),
        ('name:"x".totl > 3', "not totl .did you mean total"),
        ('name:"x > 3', "a figure is"),
        ('name:"x".total > 5%', "the figure is a duration"),
        ('name:"x".count > +3ms', "the figure is a number"),
        ('name:"x".share > +1us', "the figure is a share"),
        ('name:"x".p50 > +2pp', "the figure is a duration"),
        ("steps.p50 > " + "9" * 5000, "at most 4,096 characters"),
    ],
)
def test_what_is_no_rule(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_rule(text)


@given(st.text(alphabet='name:"\\.total > +-1%msandread ', max_size=40))
def test_any_text_is_a_rule_or_refused(text: str) -> None:
    with suppress(UsageError):
        assert parse_rule(text).bounds
