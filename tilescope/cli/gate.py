"""A gate: rules over a run and those before it, each fine, failed, or not to be told."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from math import isfinite
from typing import Final, Literal

from tilescope.cli.gate_rules import ROW_UNITS, Bound, GateRule, RowFigure, ToolFigure, Unit, check_unit
from tilescope.tiler.duration_text import duration_text
from tilescope.tiler.errors import NotAvailable, UsageError
from tilescope.tiler.percent_text import percent_text
from tilescope.tiler.tools import Answer, Value, values_of

Verdict = Literal["fine", "failed", "unknown"]

# Kinds whose values can be compared, and the unit that their amounts have.
_UNITS: Final[Mapping[str, Unit]] = {
    **{"ticks": "ps", "ps": "ps", "fraction": "%"},
    **dict.fromkeys(("number", "rate", "count", "bytes", "flops"), ""),
}
_NAMED_HOSTS: Final = 5  # in a line, of those that are missing

# Answer of a tool about a run, the new one being the last; and that of `compare` by a kind of rows with one before it.
AskTool = Callable[[str, int], Answer]
AskRows = Callable[[str, int], Answer]


@dataclass(frozen=True, slots=True)
class Amount:
    """A figure of one run; times in picoseconds. None: it is not recorded, and `why` says so."""

    value: Fraction | None
    unit: Unit
    why: str = ""

    @property
    def text(self) -> str:
        """The figure as people read it."""
        if self.value is None:
            return "not recorded"
        return amount_text(self.value, self.unit)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of a rule: its verdict, the figure of the new run and of those before, and a line about them."""

    rule: GateRule
    verdict: Verdict
    new: Amount
    bases: Sequence[Amount]
    line: str

    @property
    def base(self) -> Fraction | None:
        """The mean of the runs before; None where one of them has no figure."""
        return _mean(self.bases)


def amount_text(value: Fraction, unit: Unit) -> str:
    """A figure with its unit: picoseconds as a duration, a share in percent."""
    if unit == "ps":
        return duration_text(round(value), 1)
    if unit == "%":
        return percent_text(float(value))
    return f"{value.numerator:,}" if value.denominator == 1 else f"{float(value):,.6g}"


class RunGate:
    """The figures of runs, asked for once each."""

    def __init__(self, tick_ps: Sequence[int], ask_tool: AskTool, ask_rows: AskRows) -> None:
        """`tick_ps`: of those before, and of the new run, which is the last."""
        self._new = len(tick_ps) - 1
        self._tick_ps = tick_ps
        self._ask_tool = ask_tool
        self._ask_rows = ask_rows

    def outcome(self, rule: GateRule) -> Outcome:
        """The outcome of a rule. Raises UsageError for a bound of another unit than its figure."""
        figure = rule.figure
        if isinstance(figure, RowFigure):
            pairs = [self._row(figure, base) for base in range(self._new)]
            new, bases = pairs[0][0], [base for _, base in pairs]
        else:
            *bases, new = (self._tool_figure(figure, run) for run in range(self._new + 1))
        unknown = next((amount for amount in (new, *bases) if amount.value is None), None)
        if new.value is None or (unknown is not None and any(b.is_change or b.amount is None for b in rule.bounds)):
            why = unknown.why if unknown is not None else new.why
            return Outcome(rule, "unknown", new, bases, why)
        failed = all(self._is_passed(rule, bound, new, bases) for bound in rule.bounds)
        return Outcome(rule, "failed" if failed else "fine", new, bases, _line(new, bases))

    def _is_passed(self, rule: GateRule, bound: Bound, new: Amount, bases: Sequence[Amount]) -> bool:
        assert new.value is not None
        values = [amount.value for amount in bases if amount.value is not None]
        if bound.amount is None:
            return bound.passes(new.value, max(values) if bound.is_above() else min(values))
        check_unit(rule.text, bound, new.unit)
        if not bound.is_change:
            return bound.passes(new.value, bound.amount)
        mean = sum(values, Fraction()) / len(values)
        if bound.unit != "%":
            return bound.passes(new.value - mean, bound.amount)
        if not mean:  # new: more than any share of nothing
            return bool(new.value) and (new.value > 0) == bound.is_above()
        return bound.passes((new.value - mean) / abs(mean), bound.amount)

    def _row(self, figure: RowFigure, base: int) -> tuple[Amount, Amount]:
        """The figure of a row in the new run, and in one before it."""
        answer, unit = self._ask_rows(figure.kind, base), ROW_UNITS[figure.column]
        if not answer.is_complete:
            why = f"a run is incomplete: {_what_lacks(answer)}"
            return Amount(None, unit, why), Amount(None, unit, why)
        table = answer.table("changes")
        names = values_of(next(column for column in table.columns if column.kind == "name"))
        rows = [row for row, name in enumerate(names) if name == figure.text]
        if not rows:
            why = f"no {figure.kind} is called {figure.text!r} in either run"
            if table.rest is not None:
                why = f"{figure.text!r} is not among the {len(table):,} rows that changed most"
            why += "; did you mean {!r}?".format(*near) if (near := _near(figure.text, names)) else ""
            return Amount(None, unit, why), Amount(None, unit, why)

        def amount(prefix: str) -> Amount:
            if figure.column in ("mean", "p50"):
                if len(rows) > 1:
                    return Amount(None, unit, f"several rows are called {figure.text!r}, which have no {figure.column}")
                value = values_of(table.column(prefix + figure.column))[rows[0]]
                return _amount(value, unit, f"it does not start in {'the run before' if prefix else 'the new run'}")
            column = "total" if figure.column == "share" else figure.column
            values = values_of(table.column(prefix + column))
            total = sum((Fraction(values[row] or 0) for row in rows), Fraction())
            if column == "count":  # as often as per step, where steps are compared
                total /= int(_fact(answer, f"{prefix}steps") or 1)
            if figure.column == "share":
                whole = Fraction(_fact(answer, f"{prefix}total") or 0)
                return Amount(total / whole, unit) if whole else Amount(None, unit, "there is no time in all")
            return Amount(total, unit)

        return amount(""), amount("base_")

    def _tool_figure(self, figure: ToolFigure, run: int) -> Amount:
        where = "the new run" if run == self._new else "the run before"
        if run < self._new > 1:
            where += f" (BASE {run + 1})"
        try:
            answer = self._ask_tool(figure.tool, run)
        except NotAvailable as error:
            return Amount(None, "", f"{where}: {error}")
        if not answer.is_complete:
            return Amount(None, "", f"{where} is incomplete: {_what_lacks(answer)}")
        if figure.table is None:
            facts = {fact.id: fact for fact in answer.facts}
            if figure.id not in facts:
                return Amount(None, "", f"{where}: {figure.tool} has no fact {figure.id!r}{_meant(figure.id, facts)}")
            fact = facts[figure.id]
            return self._of_kind(fact.kind, fact.value, run, f"{where}: {fact.note or 'it is not recorded'}")
        table = next((table for table in answer.tables if table.id == figure.table), None)
        if table is None:
            return Amount(None, "", f"{where}: {figure.tool} has no table {figure.table!r}")
        columns = {column.id: column for column in table.columns}
        if figure.id not in columns:
            why = f"{where}: {figure.tool}.{figure.table} has no column {figure.id!r}{_meant(figure.id, columns)}"
            return Amount(None, "", why)
        column = columns[figure.id]
        total: Value = (table.totals or {}).get(figure.id)
        if total is None and table.rest is None and column.total != "none":
            values = [value for value in values_of(column) if isinstance(value, int | float)]
            reduce: Callable[[list[int | float]], int | float] = {"max": max, "min": min}.get(column.total, sum)
            total = reduce(values) if values else None
        return self._of_kind(column.kind, total, run, f"{where}: {figure.table}.{figure.id} comes to nothing")

    def _of_kind(self, kind: str, value: Value, run: int, why: str) -> Amount:
        if kind not in _UNITS:
            raise UsageError(f"a figure of kind {kind!r} cannot be compared with a bound")
        factor = self._tick_ps[run] if kind == "ticks" else 1
        amount = _amount(value, _UNITS[kind], why)
        return amount if amount.value is None else Amount(amount.value * factor, amount.unit)


def _what_lacks(answer: Answer) -> str:
    """The reason for which an answer is incomplete."""
    if not answer.missing:
        return "it is still being indexed"
    more = f" and {len(answer.missing) - _NAMED_HOSTS:,} more" if len(answer.missing) > _NAMED_HOSTS else ""
    return f"hosts are missing, {', '.join(answer.missing[:_NAMED_HOSTS])}{more}"


def _amount(value: Value, unit: Unit, why: str) -> Amount:
    is_number = isinstance(value, int) or (isinstance(value, float) and isfinite(value))
    if value is None or isinstance(value, str) or not is_number:
        return Amount(None, unit, why)
    return Amount(Fraction(value), unit)


def _fact(answer: Answer, name: str) -> Value:
    return next((fact.value for fact in answer.facts if fact.id == name), None)


def _mean(amounts: Sequence[Amount]) -> Fraction | None:
    values = [amount.value for amount in amounts if amount.value is not None]
    return sum(values, Fraction()) / len(values) if values and len(values) == len(amounts) else None


def _line(new: Amount, bases: Sequence[Amount]) -> str:
    """The figures in words: "12.3 ms, before 11.8 ms: +0.5 ms, +4.2 %"."""
    mean = _mean(bases)
    if mean is None or new.value is None:
        return new.text
    change = new.value - mean
    sign = "+" if change > 0 else ""
    text = f"{new.text}, before {amount_text(mean, new.unit)}: {sign}{amount_text(change, new.unit)}"
    if new.unit == "%":
        return f"{new.text}, before {amount_text(mean, new.unit)}: {sign}{float(100 * change):.2f} pp"
    return f"{text}, {sign}{percent_text(float(change / abs(mean)))}" if mean else f"{text}, new" if change else text


def _near(name: str, names: Sequence[Value]) -> list[str]:
    return get_close_matches(name, [str(each) for each in names[:10_000]], 1)


def _meant(name: str, names: Mapping[str, object]) -> str:
    near = get_close_matches(name, names, 1)
    meant = f" (did you mean {near[0]}?)" if near else ""
    return f"{meant}: there are {', '.join(names) or 'none'}"
