"""Rules of a gate, `--fail-if RULE`: a figure, and bounds that it must not pass. Parsed before any run is read.

RULE    FIGURE BOUND [and BOUND]…
FIGURE  TOOL.FACT                     a fact of any tool: steps.p50
TOOL.TABLE.COLUMN             what a column of any tool comes to: gaps.causes.time
KIND:"TEXT".COLUMN            a row of compare by KIND: name:"all-reduce".total
BOUND   > >= < <=, then spread, or an amount: +3%  +2pp  +1.5ms  5%  200us  12
A sign makes it the change from BASE, none the value of NEW.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from typing import Final, Literal

from tilescope.tiler.errors import UsageError
from tilescope.tiler.ticks import MICRO, UNITS_PS

RowKind = Literal["name", "category", "track", "process", "host"]
Unit = Literal["%", "pp", "ps", ""]

# Columns of rows, and the units of their figures.
ROW_UNITS: Final[Mapping[str, Unit]] = {
    "total": "ps",
    "self": "ps",
    "count": "",
    "mean": "ps",
    "p50": "ps",
    "share": "%",
}
MAX_RULE: Final = 4096  # characters

_KINDS: Final[Mapping[str, RowKind]] = {
    "name": "name",
    "category": "category",
    "track": "track",
    "process": "process",
    "host": "host",
}
_ROW: Final = re.compile(r'([a-z]+):"((?:[^"\\]|\\.)*)"\.([A-Za-z0-9_]+)\s*')
_DOTTED: Final = re.compile(r"([a-z][a-z0-9_]*)((?:\.[A-Za-z0-9_.-]+?){1,2}?)(?=\s|[<>]|$)\s*")
_AMOUNT: Final = r"([+-]?)([0-9]{1,18}(?:\.[0-9]{1,18})?)\s*(%|(?!and\s)[a-zµμ]*)"  # "12 and > 3" has no unit
_BOUND: Final = re.compile(rf"(>=|<=|>|<)\s*(?:(spread)\b|{_AMOUNT})\s*")
_AND: Final = re.compile(r"and\s+")
_COMPARISONS: Final[Mapping[str, Callable[[Fraction, Fraction], bool]]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}


@dataclass(frozen=True, slots=True)
class RowFigure:
    """A figure of a row of `compare`."""

    kind: RowKind
    text: str
    column: str


@dataclass(frozen=True, slots=True)
class ToolFigure:
    """A fact of a tool, or with a table what a column of it comes to."""

    tool: str
    table: str | None
    id: str


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound of a figure. `amount` None: the spread of the runs before. `is_change`: of the change from them."""

    comparison: str
    amount: Fraction | None
    unit: Unit
    is_change: bool

    def passes(self, value: Fraction, limit: Fraction) -> bool:
        """True if a value is beyond a limit, which is the amount or the extreme of the runs before."""
        return _COMPARISONS[self.comparison](value, limit)

    def is_above(self) -> bool:
        """True if the bound is passed by what is greater."""
        return self.comparison.startswith(">")


@dataclass(frozen=True, slots=True)
class GateRule:
    """A rule fails where all of its bounds are passed."""

    text: str
    figure: RowFigure | ToolFigure
    bounds: tuple[Bound, ...]


def parse_rule(text: str) -> GateRule:
    """A rule from its text. Raises UsageError, which says where it cannot be read, or what might be meant."""
    if len(text) > MAX_RULE:
        raise UsageError(f"a rule has at most {MAX_RULE:,} characters")
    figure, place = _figure(text)
    bounds = []
    while True:
        match = _BOUND.match(text, place)
        if match is None:
            raise UsageError(f"{_quoted(text)}: a bound is wanted at character {place + 1}, as in > +3% or > spread")
        bounds.append(_bound(text, match))
        if isinstance(figure, RowFigure):
            check_unit(text, bounds[-1], ROW_UNITS[figure.column])
        place = match.end()
        if place == len(text):
            return GateRule(text, figure, tuple(bounds))
        joint = _AND.match(text, place)
        if joint is None:
            raise UsageError(f"{_quoted(text)}: bounds are joined by and, not by {text[place : place + 10]!r}")
        place = joint.end()


def check_unit(rule: str, bound: Bound, unit: Unit) -> None:
    """Raises UsageError for a bound that a figure of this unit cannot have."""
    if bound.amount is None or (bound.unit == "%" and bound.is_change):
        return
    if unit != ("%" if bound.unit == "pp" else bound.unit):
        units = {"ps": "a duration", "%": "a share", "": "a number"}
        raise UsageError(f"{_quoted(rule)}: the figure is {units[unit]}, and its bound is not")


def _figure(text: str) -> tuple[RowFigure | ToolFigure, int]:
    row = _ROW.match(text)
    if row is not None:
        kind, column = row[1], row[3]
        if kind not in _KINDS:
            raise UsageError(f"{_quoted(text)}: rows are by {', '.join(_KINDS)}, not {kind}{_meant(kind, _KINDS)}")
        if column not in ROW_UNITS:
            there = f"a row has {', '.join(ROW_UNITS)}, not {column}"
            raise UsageError(f"{_quoted(text)}: {there}{_meant(column, ROW_UNITS)}")
        return RowFigure(_KINDS[kind], re.sub(r"\\(.)", r"\1", row[2]), column), row.end()
    dotted = _DOTTED.match(text)
    if dotted is None:
        raise UsageError(f'{_quoted(text)}: a figure is TOOL.FACT, TOOL.TABLE.COLUMN, or a row, as name:"copy".total')
    from tilescope.tiler.tools import parameters, tools

    if dotted[1] not in tools():
        raise UsageError(f"{_quoted(text)}: there is no tool {dotted[1]}{_meant(dotted[1], tools())}")
    required = [field.name for field in parameters(tools()[dotted[1]].question) if field.is_required]
    if required:
        raise UsageError(
            f"{_quoted(text)}: {dotted[1]} has to be asked with {' and '.join(required)}, which a rule cannot say"
        )
    first, _, second = dotted[2].removeprefix(".").partition(".")
    figure = ToolFigure(dotted[1], first, second) if second else ToolFigure(dotted[1], None, first)
    return figure, dotted.end()


def _bound(text: str, match: re.Match[str]) -> Bound:
    comparison, spread, sign, number, unit = match.groups()
    if spread:
        return Bound(comparison, None, "", is_change=False)
    amount = Fraction(number) * (-1 if sign == "-" else 1)
    name = unit.translate(MICRO)
    if name in ("%", "pp"):
        if name == "pp" and not sign:
            raise UsageError(f"{_quoted(text)}: pp is a change of a share, and needs a sign, as in +2pp")
        return Bound(comparison, amount / 100, "%" if name == "%" else "pp", is_change=bool(sign))
    if name and name not in UNITS_PS:
        raise UsageError(f"{_quoted(text)}: there is no unit {unit}: there are %, pp, {', '.join(UNITS_PS)}")
    return Bound(comparison, amount * UNITS_PS[name] if name else amount, "ps" if name else "", is_change=bool(sign))


def _meant(name: str, names: Mapping[str, object]) -> str:
    near = get_close_matches(name, names, 1)
    return f" (did you mean {near[0]}?)" if near else ""


def _quoted(text: str) -> str:
    return f"--fail-if {text[:200]!r}"
